import JSONBytes

/// What leads on from the page of a class.
enum ClassLinks {
    /// - Parameter item: the class as the API shows it. In an archived one nothing new is given.
    static func buttons(_ item: JSONValue, _ visit: Visit) -> [HTML] {
        guard let id = item["id"]?.text, item["status"]?.text != "archived" else { return [] }
        return [
            a(.class("button button-main"), .href("/classes/\(id)/handouts/new")) {
                Icon.plus.html
                visit.texts(EditorText.titleNew)
            }
        ]
    }
}
