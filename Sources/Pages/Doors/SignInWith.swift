import Crypto
import HTTPServer
import HTTPWire
import JSONBytes

enum SignInWithText: String, TextKey {
    case button, find, findLabel, findHint, findButton, none
    case refusedTitle, refused, againTitle, again, failedTitle, failed, back

    static let section = "signInWith"
}

/// `/sign-in/with/{id}`: to another system, and back from it to `/sign-in/callback`.
///
/// Signing in again takes a click here, and no password. So it counts as on a shared device, and ends with the browser.
enum SignInWith: Screen {
    static var pages: [Page] {
        [
            .get("/sign-in/with", for: .anyone) { visit in
                let name = visit.query("of")
                let offered = name == nil ? nil : await OfferedProviders(visit, of: name)
                return .view(view(offered, visit))
            },
            .get("/sign-in/with/{id}", for: .anyone) { visit in
                try await explaining(visit) { try await begin(visit) }
            },
            .get("/sign-in/callback", for: .anyone) { visit in
                try await explaining(visit) { try await finish(visit) }
            },
        ]
    }

    // MARK: There and back

    /// What the browser keeps while the person is at the other system.
    struct Attempt: Sendable {
        let providerID: String
        let secret: String
        /// Where to go on afterwards.
        let back: LocalPath

        init(providerID: String, secret: String, back: LocalPath) {
            self.providerID = providerID
            self.secret = secret
            self.back = back
        }

        /// `nil` if the browser keeps none.
        init?(_ visit: Visit) {
            let cookie = Cookies(visit.request.headers)[.attempt, isSecure: visit.isSecure]
            let parts = (cookie ?? "").split(separator: ".", omittingEmptySubsequences: false)
            guard parts.count == 3, let back = Base64.decodeURL(parts[2].utf8) else { return nil }
            providerID = String(parts[0])
            secret = String(parts[1])
            self.back = SignIn.destination(String(decoding: back, as: UTF8.self))
        }

        var cookieValue: String {
            "\(providerID).\(secret).\(Base64.encodeURL(Array(back.text.utf8)))"
        }
    }

    private static let minutes = 10

    private static func begin(_ visit: Visit) async throws -> Answer {
        let id = visit["id"]
        let begun = try await visit.api.post(
            "/v1/sign-in/with-provider/beginning", ["providerId": .text(id)])
        let wish = SignIn.destination(visit.query("to"))
        // A cookie has little room.
        let attempt = Attempt(
            providerID: id, secret: begun["secret"]?.text ?? "",
            back: wish.text.utf8.count <= 1000 ? wish : "/")
        let cookie = Cookie.attempt.set(
            attempt.cookieValue, isSecure: visit.isSecure, seconds: minutes * 60)
        return .response(
            HTTPResponse(
                status: 303,
                headers: [
                    cookie, ResponseField("Location", begun["redirectTo"]?.text ?? "/sign-in"),
                    ResponseField("Cache-Control", "no-store"),
                    ResponseField("Referrer-Policy", "no-referrer"),
                ]))
    }

    private static func finish(_ visit: Visit) async throws -> Answer {
        guard let attempt = Attempt(visit) else { return .view(again(visit)) }
        guard let code = visit.query("code") else {
            // Who changes his or her mind there is where it began.
            return .redirect(
                LocalPath("/sign-in").with("to", attempt.back == "/" ? nil : attempt.back.text),
                headers: [Cookie.attempt.clear(isSecure: visit.isSecure)])
        }
        guard let state = visit.query("state") else { return .view(again(visit)) }
        var browser = JSONObject([("shared", true)])
        if let agent = visit.userAgent { browser["userAgent"] = .text(String(agent.prefix(400))) }
        var body = JSONObject([
            ("providerId", .text(attempt.providerID)), ("secret", .text(attempt.secret)),
            ("state", .text(state)), ("code", .text(code)), ("browser", .object(browser)),
        ])
        if let iss = visit.query("iss") { body["iss"] = .text(iss) }
        let answer = try await visit.api.post("/v1/sign-in/with-provider", .object(body))
        return await SignIn.enter(
            answer, isKept: false, attempt.back, visit,
            headers: [Cookie.attempt.clear(isSecure: visit.isSecure)])
    }

    /// Says in plain words what the API refuses.
    private static func explaining(
        _ visit: Visit, _ body: () async throws -> Answer
    ) async throws -> Answer {
        do {
            return try await body()
        } catch let refusal as Refusal {
            switch refusal.status {
            case 401: return .view(door(visit, .refusedTitle, .refused, 403))
            case 409, 422: return .view(again(visit))
            case 502, 503:
                return .view(door(visit, .failedTitle, .failed, refusal.status, refusal.detail))
            default: throw refusal
            }
        }
    }

    // MARK: What one sees

    private static func again(_ visit: Visit) -> View { door(visit, .againTitle, .again, 400) }

    /// Why it did not work, and the way back.
    private static func door(
        _ visit: Visit, _ title: SignInWithText, _ text: SignInWithText, _ status: Int,
        _ detail: String? = nil
    ) -> View {
        let texts = visit.texts
        return View(texts(title), .narrow) {
            div(.class("stack")) {
                h1 { texts(title) }
                p { texts(text) }
                if let detail { p(.class("soft"), .lang("en")) { detail } }
                p { a(.class("button"), .href("/sign-in")) { texts(SignInWithText.back) } }
            }
        }.refused(status, headers: [Cookie.attempt.clear(isSecure: visit.isSecure)])
    }

    /// - Parameter offered: what was found; `nil` before anything was looked for.
    private static func view(_ offered: OfferedProviders?, _ visit: Visit) -> View {
        let texts = visit.texts
        let back = SignIn.destination(visit.query("to"))
        return View(texts(SignInWithText.find), .narrow) {
            div(.class("stack")) {
                h1 { texts(SignInWithText.find) }
                if let offered {
                    offered.buttons(texts, to: back)
                    if offered.providers.isEmpty {
                        p(.role("status")) { texts(SignInWithText.none) }
                    }
                }
                getForm("/sign-in/with", .class("card")) {
                    field(
                        "of", label: texts(SignInWithText.findLabel),
                        hint: texts(SignInWithText.findHint), .type("text"),
                        Attribute("inputmode", "email"), .autocomplete("username"),
                        Attribute("autocapitalize", "none"), Attribute("spellcheck", "false"),
                        .value(visit.query("of")), .required)
                    if back != "/" { input(.type("hidden"), .name("to"), .value(back.text)) }
                    button(.class("button button-main button-wide"), .type("submit")) {
                        texts(SignInWithText.findButton)
                    }
                }
                p { a(.href("/sign-in")) { texts(SignInWithText.back) } }
            }
        }
    }
}
