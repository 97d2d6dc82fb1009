import HTTPServer
import HTTPWire
import JSONBytes
import Values

enum BadgeSignInText: String, TextKey {
    case title, intro, code, codeHint, button, instead
    case errorNone, errorRefused, password

    static let section = "badgeSignIn"
}

/// `/badge`: where the QR code of a badge leads, with the secret behind `#`.
///
/// No browser sends that part to a server, so that no log, no `Referer` and no preview of the link has it. A script puts it
/// into the form and takes it out of the address. Nobody is signed in before the button is pressed: what only looks at an
/// address signs in nobody. Without the script, a scanner types into the field, or one pastes what a camera has read.
enum BadgeSignIn: Screen {
    static var pages: [Page] {
        [
            .get("/badge", for: .anyone) { visit in .view(view(visit)) },
            .post("/badge", for: .anyone, take),
        ]
    }

    private static func take(_ form: Form, _ visit: Visit) async throws -> Answer {
        let texts = visit.texts
        let secret = Self.secret(in: form["secret"])
        guard !secret.isEmpty else {
            return .view(view(visit, problem: texts(BadgeSignInText.errorNone)).refused())
        }
        var browser = JSONObject([("shared", true)])
        if let agent = visit.userAgent { browser["userAgent"] = .text(String(agent.prefix(400))) }
        do {
            let answer = try await visit.api.post(
                "/v1/sign-in/with-badge",
                ["badge": .text(secret), "browser": .object(browser)])
            return await SignIn.enter(answer, isKept: false, "/", visit)
        } catch let refusal as Refusal where [401, 422].contains(refusal.status) {
            let problem = texts(BadgeSignInText.errorRefused)
            return .view(view(visit, problem: problem).refused())
        } catch let refusal as Refusal where refusal.status == 429 {
            let problem = texts(ErrorText.tooManyTitle) + " " + ErrorPage.wait(refusal, texts)
            return .view(view(visit, problem: problem).refused(429, headers: refusal.waiting))
        }
    }

    /// The secret alone, where a scanner typed the whole address.
    private static func secret(in text: String) -> String {
        String(text.split(separator: "#").last ?? "").filter { !$0.isWhitespace }
    }

    private static func view(_ visit: Visit, problem: String? = nil) -> View {
        let texts = visit.texts
        let title = texts(BadgeSignInText.title)
        return View(problem == nil ? title : texts(ErrorText.formTitle, ["title": title]), .narrow)
        {
            div(.class("stack")) {
                h1 { title }
                if let problem { notice(.bad, .warn) { p(.role("alert")) { problem } } }
                if let person = visit.person {
                    p { texts.html(BadgeSignInText.instead, ["name": written(person.name.text)]) }
                }
                postForm(visit, "/badge", .class("card")) {
                    p { texts(BadgeSignInText.intro) }
                    field(
                        "secret", label: texts(BadgeSignInText.code),
                        hint: texts(BadgeSignInText.codeHint), .type("text"),
                        .autocomplete("off"), Attribute("autocapitalize", "none"),
                        Attribute("spellcheck", "false"), Attribute("data-badge", ""), .required)
                    button(.class("button button-main button-wide"), .type("submit")) {
                        texts(BadgeSignInText.button)
                    }
                }
                p { a(.href("/sign-in")) { texts(BadgeSignInText.password) } }
            }
        }
    }
}
