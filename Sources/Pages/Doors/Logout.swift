import Contract
import HTTPServer
import HTTPWire
import JSONBytes

enum LogoutText: String, TextKey {
    case title, question, questionOf, signOut, stay, errorTitle, error

    static let section = "logout"
}

/// `/oauth/logout`: a connected system brings the browser here when its person signs out there (OpenID Connect
/// RP-Initiated Logout 1.0). Who leaves a shared computer has signed out here, too.
enum Logout: Screen {
    static var pages: [Page] {
        [
            .get("/oauth/logout", for: .anyone) { visit in
                guard let request = Asked(visit.request.query) else {
                    return .view(errorView(visit))
                }
                let check = try await check(request, visit)
                if visit.session == nil { return away(check.redirectTo, visit) }
                if check.confirmed { return await signOut(check.redirectTo, visit) }
                return .view(question(check, visit))
            },
            .post("/oauth/logout", for: .anyone) { form, visit in
                guard let request = Asked(visit.request.query) else {
                    return .view(errorView(visit))
                }
                let target = try await check(request, visit).redirectTo
                guard form["do"] == "signOut" else { return away(target, visit) }
                return await signOut(target, visit)
            }
            // Section 2: clients may send this as a form, too.
            .showing(Asked.address),
        ]
    }

    /// What a client asks in the query. The API judges it; what nobody knows is ignored.
    struct Asked: Sendable {
        private static let names: [(StaticString, String)] = [
            ("id_token_hint", "idTokenHint"), ("client_id", "clientId"),
            ("post_logout_redirect_uri", "postLogoutRedirectUri"), ("state", "state"),
        ]

        /// The body of the call about it.
        let body: JSONValue

        /// `nil` if a parameter is there twice, so that nobody knows which one counts.
        init?(_ query: Query) {
            var members = JSONObject()
            for (name, field) in Self.names {
                let values = query.all("\(name)")
                guard values.count <= 1 else { return nil }
                if let value = values.first, !value.isEmpty { members[field] = .text(value) }
            }
            body = .object(members)
        }

        /// The page of a request that came as a form. One that is too long for an address is asked about.
        static func address(of form: Form) -> LocalPath {
            var address: LocalPath = "/oauth/logout"
            for (name, _) in names {
                for value in form.all("\(name)") { address = address.with(name, value) }
            }
            return address.text.utf8.count <= 8_192 ? address : "/oauth/logout"
        }
    }

    private static func check(
        _ request: Asked, _ visit: Visit
    ) async throws -> Document<LogoutAnswer> {
        try await visit.api.answer(to: LogoutCalls.check.asked, request.body)
    }

    private static func signOut(_ target: String?, _ visit: Visit) async -> Answer {
        // The cookie goes in any case, also where the session has ended already.
        await SignOut.end(visit)
        return away(target, visit, headers: SignOut.headers(visit), notice: true)
    }

    /// Back to the system, at an address that it has registered; else to the sign-in page.
    private static func away(
        _ target: String?, _ visit: Visit, headers: [ResponseField] = [], notice: Bool = false
    ) -> Answer {
        guard let target else {
            return .redirect(
                visit.session == nil || notice ? "/sign-in" : "/",
                notice: notice ? Notice(SignInText.noticeSignedOut) : nil, headers: headers)
        }
        return .response(
            HTTPResponse(
                status: 303,
                headers: [
                    ResponseField("Location", target), ResponseField("Cache-Control", "no-store"),
                    ResponseField("Referrer-Policy", "no-referrer"),
                ] + headers))
    }

    private static func question(_ check: Document<LogoutAnswer>, _ visit: Visit) -> View {
        let texts = visit.texts
        var view = View(texts(LogoutText.title), .narrow) {
            div(.class("stack")) {
                h1 { texts(LogoutText.title) }
                p {
                    if let client = check.client {
                        texts.html(LogoutText.questionOf, ["system": written(client)])
                    } else {
                        texts.html(LogoutText.question)
                    }
                }
                postForm(visit, visit.address, .class("row")) {
                    button(.class("button button-main"), .name("do"), .value("signOut")) {
                        texts(LogoutText.signOut)
                    }
                    button(.class("button"), .name("do"), .value("stay")) {
                        texts(LogoutText.stay)
                    }
                }
            }
        }
        view.formTargets = check.redirectTo.map(AuthorizationRequest.sources) ?? []
        return view
    }

    private static func errorView(_ visit: Visit) -> View {
        let texts = visit.texts
        return View(texts(LogoutText.errorTitle), .narrow) {
            div(.class("stack")) {
                h1 { texts(LogoutText.errorTitle) }
                p { texts(LogoutText.error) }
                p { a(.href("/")) { texts(ErrorText.home) } }
            }
        }.refused(400)
    }
}
