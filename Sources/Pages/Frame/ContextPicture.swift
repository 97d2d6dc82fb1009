import JSONBytes

/// The picture of a context, beside its title, which says the same to those who do not see it.
enum ContextPicture {
    /// Where this server's pages have it; `nil` if there is none.
    ///
    /// - Parameter item: what the API answers about the context, or about a task for it.
    static func address(of item: JSONValue?) -> LocalPath? {
        guard
            let found = item?["thumbnail"]?.text?.wholeMatch(
                of: #//v1/catalog/contexts/([^/]+)/thumbnail/#)
        else { return nil }
        return "/thumbnails/\(String(found.1))"
    }

    static func html(_ address: LocalPath) -> HTML {
        img(
            .class("thumb"), Attribute("src", address.text), Attribute("alt", ""),
            Attribute("loading", "lazy"))
    }
}
