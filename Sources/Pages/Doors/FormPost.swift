import HTTPWire

/// The answer to a client as a form (OAuth 2.0 Form Post Response Mode section 2): a script sends it, or where there is
/// none, the person. Addresses stay in histories and logs of proxies; a form does not.
enum FormPost {
    /// The page with the form; `nil` for an answer that goes in the address.
    ///
    /// - Parameter address: what the API answered: the redirect URI, and behind it the parameters. The form carries no
    ///   token of ours: that must not leave this server.
    static func view(
        _ request: AuthorizationRequest, _ address: String, _ visit: Visit
    ) -> View? {
        guard let target = request.formAddress, address.hasPrefix(target),
            let items = HTTPWire.Form.items(Array(address.utf8.dropFirst(target.utf8.count + 1)))
        else { return nil }
        let texts = visit.texts
        var view = View(texts(ConsentText.leaving), .narrow) {
            div(.class("stack")) {
                h1 { texts(ConsentText.leaving) }
                p { texts(ConsentText.leavingText) }
                Tag("form")(
                    Attribute("method", "post"), Attribute("action", target), Attribute("data-go")
                ) {
                    for item in items {
                        input(.type("hidden"), .name(item.name), .value(item.value))
                    }
                    button(.class("button button-main button-wide"), .type("submit")) {
                        texts(ConsentText.goOn)
                    }
                }
            }
        }
        view.formTargets = request.formTargets
        return view
    }
}
