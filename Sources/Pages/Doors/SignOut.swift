import HTTPWire

/// `/sign-out`: ends the session.
enum SignOut: Screen {
    static var pages: [Page] {
        [
            .post("/sign-out", for: .anyone) { form, visit in
                // The cookie goes in any case, also where the session has ended already.
                if visit.session != nil { _ = try? await visit.api.post("/v1/sign-out") }
                let back = SignIn.destination(form["to"])
                return .redirect(
                    LocalPath("/sign-in").with("to", back == "/" ? nil : back.text),
                    notice: Notice(SignInText.noticeSignedOut),
                    headers: [
                        Cookie.session.clear(isSecure: visit.isSecure),
                        ResponseField("Clear-Site-Data", "\"cache\", \"storage\""),
                    ])
            }
        ]
    }
}
