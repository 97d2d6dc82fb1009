import HTTPServer
import HTTPWire
import JSONBytes
import Values

enum ConsentText: String, TextKey {
    case title, titleSystem, forWhom, forWhomSystem, notYou, will, willNot, allow, refuse, later
    case seesProgress, seesCompletions, seesID, seesName, seesEmail, seesRoles, seesClasses
    case neverName, neverOthers, neverPassword, neverWork
    case errorTitle, error
    case leaving, leavingText, goOn

    static let section = "consent"
}

/// `/oauth/authorize`: asks whether an app or a connected system may act for the person (RFC 6749, section 4.1).
enum Consent: Screen {
    static var pages: [Page] {
        [
            // For anyone: a system may ask whether the browser is signed in.
            .get("/oauth/authorize", for: .anyone) { visit in
                try await answering(visit) { request in
                    guard visit.person != nil else { return try await absent(request, visit) }
                    let check = try await visit.api.post(
                        "/v1/me/authorizations/check", request.body)
                    switch check["next"]?.text {
                    case "allow": return try await allow(request, visit)
                    case "signIn":
                        let back = AuthorizationRequest.afterSignIn(visit.address)
                        return .redirect(SignIn.again.with("to", back.text))
                    default: return .view(view(App(check), request, visit))
                    }
                }
            },
            .post("/oauth/authorize", for: .person) { form, visit in
                try await answering(visit) { request in
                    if form["do"] == "allow" { return try await allow(request, visit) }
                    let check = try await visit.api.post(
                        "/v1/me/authorizations/check", request.body)
                    return leave(request, to: check["refusedTo"]?.text ?? "/", visit)
                }
            }
            // OpenID Connect Core, section 3.1.2.1: clients may send their question as a form, too.
            .showing(AuthorizationRequest.address),
        ]
    }

    private static func allow(
        _ request: AuthorizationRequest, _ visit: Visit
    ) async throws -> Answer {
        let answer = try await visit.api.post("/v1/me/authorizations", request.body)
        return leave(request, to: answer["redirectTo"]?.text ?? "/", visit)
    }

    /// Nobody is signed in, or only as far as to change the password.
    private static func absent(
        _ request: AuthorizationRequest, _ visit: Visit
    ) async throws -> Answer {
        if request.isSilent {
            let answer = try await visit.api.post("/v1/authorizations/absence", request.body)
            return leave(request, to: answer["redirectTo"]?.text ?? "/", visit)
        }
        let door: LocalPath = visit.session == nil ? "/sign-in" : NewPassword.address
        return .redirect(door.with("to", visit.address.text))
    }

    /// Explains what is wrong with the app's request: to the app, where the API knows its address, or else here.
    private static func answering(
        _ visit: Visit, _ body: (AuthorizationRequest) async throws -> Answer
    ) async throws -> Answer {
        guard let request = AuthorizationRequest(visit.request.query) else {
            return .view(errorView(nil, visit))
        }
        do {
            return try await body(request)
        } catch let refusal as Refusal where refusal.status == 422 {
            if let target = refusal.document["redirectTo"]?.text {
                return leave(request, to: target, visit)
            }
            return .view(errorView(refusal.detail, visit))
        }
    }

    /// Back to the app, at an address that the API has checked.
    private static func leave(
        _ request: AuthorizationRequest, to address: String, _ visit: Visit
    ) -> Answer {
        if let view = FormPost.view(request, address, visit) { return .view(view) }
        return .response(
            HTTPResponse(
                status: 303,
                headers: [
                    ResponseField("Location", address), ResponseField("Cache-Control", "no-store"),
                    ResponseField("Referrer-Policy", "no-referrer"),
                ]))
    }

    private static func errorView(_ detail: String?, _ visit: Visit) -> View {
        let texts = visit.texts
        return View(texts(ConsentText.errorTitle), .narrow) {
            div(.class("stack")) {
                h1 { texts(ConsentText.errorTitle) }
                p { texts(ConsentText.error) }
                if let detail { p(.class("soft"), .lang("en")) { detail } }
            }
        }.refused(400)
    }

    private static func view(_ app: App, _ request: AuthorizationRequest, _ visit: Visit) -> View {
        let texts = visit.texts
        let title: ConsentText = app.isSystem ? .titleSystem : .title
        var view = View(texts(title, ["app": app.name]), .narrow) {
            div(.class("stack")) {
                h1 { texts.html(title, ["app": written(app.name)]) }
                forWhom(visit, isSystem: app.isSystem)
                app.description(texts)
                postForm(visit, visit.address, .class("row")) {
                    button(.class("button button-main"), .name("do"), .value("allow")) {
                        texts(ConsentText.allow)
                    }
                    button(.class("button"), .name("do"), .value("refuse")) {
                        texts(ConsentText.refuse)
                    }
                }
                p(.class("small soft")) { texts(ConsentText.later) }
            }
        }
        view.formTargets = request.formTargets
        return view
    }

    /// Who is signed in, and a way out for anyone else who sits at the device now.
    ///
    /// - Parameter isSystem: whether a system asks who that is, and not an app that reports to the school.
    static func forWhom(_ visit: Visit, isSystem: Bool = false) -> HTML {
        let texts = visit.texts
        let person = visit.person
        let name = person?.name.text ?? ""
        return postForm(visit, "/sign-out", .class("row soft")) {
            input(.type("hidden"), .name("to"), .value(visit.address.text))
            span {
                texts.html(
                    isSystem ? ConsentText.forWhomSystem : .forWhom,
                    ["school": written(person?.school ?? ""), "name": written(name)])
            }
            button(.class("button button-plain"), .type("submit")) { texts(ConsentText.notYou) }
        }
    }
}

extension Consent {
    /// The app or system that asks, and what it would see.
    struct App: Sendable {
        let name: String
        let isSystem: Bool
        private let sees: [String]

        init(_ check: JSONValue) {
            name = check["client"]?["name"]?.text ?? check["client"]?["id"]?.text ?? ""
            isSystem = check["kind"]?.text == "system"
            sees = (check["sees"]?.array ?? []).compactMap(\.text)
        }

        /// What it will and will not do.
        func description(_ texts: Texts) -> HTML {
            parts {
                list(texts(ConsentText.will, ["app": name]), .done, "good", sees.map(words(texts)))
                list(texts(ConsentText.willNot, ["app": name]), .cross, "bad", never(texts))
            }
        }

        /// What it does not learn.
        private func never(_ texts: Texts) -> [HTML] {
            // An address often has the name in it.
            let isNamed = sees.contains("name") || sees.contains("email")
            let name: ConsentText = isNamed ? .neverPassword : .neverName
            return [texts.html(name), texts.html(isSystem ? ConsentText.neverWork : .neverOthers)]
        }

        /// An unknown scope is shown as it is: nothing is granted unseen.
        private func words(_ texts: Texts) -> (String) -> HTML {
            { word in
                switch word {
                case "progressOnAssigned": texts.html(ConsentText.seesProgress)
                case "completions": texts.html(ConsentText.seesCompletions)
                case "id": texts.html(ConsentText.seesID)
                case "name": texts.html(ConsentText.seesName)
                case "email": texts.html(ConsentText.seesEmail)
                case "roles": texts.html(ConsentText.seesRoles)
                case "classes": texts.html(ConsentText.seesClasses)
                default: code { word }
                }
            }
        }

        private func list(
            _ title: String, _ icon: Icon, _ tone: String, _ items: [HTML]
        ) -> HTML {
            section(.class("card")) {
                h2 { title }
                ul(.class("list")) {
                    for item in items {
                        li {
                            span(.class(tone)) { icon.html }
                            span(.class("grow")) { item }
                        }
                    }
                }
            }
        }
    }
}
