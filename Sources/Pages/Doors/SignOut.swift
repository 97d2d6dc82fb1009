import HTTPWire

/// `/sign-out`: ends the session.
enum SignOut: Screen {
    static var pages: [Page] {
        [
            .post("/sign-out", for: .anyone) { form, visit in
                // The cookie goes in any case, also where the session has ended already.
                if visit.session != nil { await end(visit) }
                let back = SignIn.destination(form["to"])
                return .redirect(
                    LocalPath("/sign-in").with("to", back == "/" ? nil : back.text),
                    notice: Notice(SignInText.noticeSignedOut),
                    headers: headers(visit))
            }
        ]
    }

    /// Ends the session, unless it has ended already.
    static func end(_ visit: Visit) async { _ = try? await visit.api.post("/v1/sign-out") }

    /// What takes the session out of a browser.
    static func headers(_ visit: Visit) -> [ResponseField] {
        [
            Cookie.session.clear(isSecure: visit.isSecure),
            ResponseField("Clear-Site-Data", "\"cache\", \"storage\""),
        ]
    }
}
