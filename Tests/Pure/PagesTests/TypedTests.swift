import HTTPWire
import JSONBytes
import Testing

@testable import Pages

/// Forms that cannot be taken: nothing that was typed is lost, and nobody else gets it.
@Suite struct TypedWords {
    /// Every page that takes a form of people who are signed in.
    static let forms = Screens.pages.filter {
        $0.method == .post && $0.audience != .anyone && $0.path != TypedPage.path
    }

    @Test func `there are forms to walk over`() {
        #expect(Self.forms.count > 60 && Self.forms.contains { $0.takesFile })
    }

    @Test(arguments: forms.map(\.path))
    func `a form whose sign-in has gone comes back after it`(path: String) async throws {
        for isEnded in [true, false] {
            let typist = try await Typist(path)
            // The cookie is gone, or the server has ended the session.
            if !isEnded { typist.browser.set("homeroom", nil) }
            if isEnded { typist.api.set("GET /v1/me", FakeAPI.problem(401, "unauthorized")) }
            let door = try await typist.send()
            #expect(door.status == 403, "\(path)")
            #expect(door.text.contains("name=\"managedId\"") && door.text.contains("is not lost"))
            #expect(!typist.isShown(on: door), "sealed, whoever looks at the page")
            #expect(typist.browser.cookie("homeroom") == nil)

            typist.api.set("GET /v1/me", typist.me)
            let wrong = try await typist.signIn(from: door, asKnown: false)
            #expect(wrong.status == 422 && !typist.isShown(on: wrong))
            let back = try await typist.signIn(from: wrong)
            #expect(back.status == 200 && typist.isShown(on: back), "\(path)")
            #expect(back.text.contains("action=\"\(typist.target)\""))
            #expect(typist.isSecretKept(from: back))
            #expect(try await typist.sendAgain(from: back), "with a token of the new session")
        }
    }

    @Test(arguments: forms.map(\.path))
    func `nobody else gets it after the sign-in`(path: String) async throws {
        let typist = try await Typist(path)
        typist.browser.set("homeroom", nil)
        let door = try await typist.send()
        typist.api.set("GET /v1/me", typist.another)
        let other = try await typist.signIn(from: door)
        #expect(other.status == 303 && !typist.isShown(on: other), "\(path)")
        #expect(other.cookie("homeroom-notice")?.contains("typed.noticeOther") == true)
        // The sealed words, sent once more, do not open for that person either.
        _ = try await typist.browser.get("/me/sign-in")
        let asked = try await typist.browser.post(
            "/typed", [(Typed.field, try #require(typist.sealed(on: door)))])
        #expect(asked.status == 403 && !typist.isShown(on: asked))
        // For the person who typed, they do.
        typist.api.set("GET /v1/me", typist.me)
        let mine = try await typist.browser.post(
            "/typed", [(Typed.field, try #require(typist.sealed(on: door)))])
        #expect(mine.status == 200 && typist.isShown(on: mine))
    }

    @Test(arguments: forms.map(\.path))
    func `a form of an earlier session is shown again to the same person only`(
        path: String
    ) async throws {
        for isAnother in [false, true] {
            let typist = try await Typist(path)
            typist.browser.set("homeroom", "token-of-a-later-session")
            if isAnother { typist.api.set("GET /v1/me", typist.another) }
            let answer = try await typist.send()
            #expect(answer.status == 403)
            #expect(typist.isShown(on: answer) == !isAnother, "\(path)")
            #expect(typist.isSecretKept(from: answer))
            if !isAnother { #expect(try await typist.sendAgain(from: answer)) }
        }
    }

    @Test(arguments: forms.map(\.path))
    func `a form that the server cannot take now stays on the page`(path: String) async throws {
        for status in [429, 500, 503] {
            let typist = try await Typist(path)
            typist.api.set("GET /v1/me", FakeAPI.problem(status, "unavailable"))
            let answer = try await typist.send()
            #expect(answer.status == status && typist.isShown(on: answer), "\(path): \(status)")
            #expect(typist.isSecretKept(from: answer))
            typist.api.set("GET /v1/me", typist.me)
            #expect(try await typist.sendAgain(from: answer))
        }
    }

    @Test(arguments: forms.map(\.path))
    func `a form of another site never comes back filled in`(path: String) async throws {
        let cross = [(name: "Sec-Fetch-Site", value: "cross-site")]
        let typist = try await Typist(path)
        let refused = try await typist.send(headers: cross)
        #expect(refused.status == 403 && !typist.isShown(on: refused))
        #expect(typist.sealed(on: refused) == nil)

        // What was sealed for another browser does not open in this one.
        let attacker = try await Typist(path)
        let victim = try await Typist(path)
        for session in [FakeAPI.token, "token-of-a-later-session", nil] {
            victim.browser.set("homeroom", session)
            let token = try attacker.token(session: "session-token-of-the-attacker")
            let answer = try await victim.send(token: token)
            #expect(!victim.isShown(on: answer) && victim.sealed(on: answer) == nil, "\(path)")
        }
    }

    @Test func `words go on through a password that has to be changed first`() async throws {
        let typist = try await Typist("/classes/{id}/announcements")
        typist.browser.set("homeroom", nil)
        let door = try await typist.send()
        typist.api.set("GET /v1/me", FakeAPI.problem(403, "password_must_change"))
        let change = try await typist.signIn(from: door)
        #expect(change.status == 200 && change.text.contains("name=\"newPassword\""))
        #expect(!typist.isShown(on: change))
        typist.api.set("GET /v1/me", typist.me)
        let back = try await typist.browser.post(
            "/me/password",
            [
                ("password", "old"), ("newPassword", "new"),
                (Typed.field, try #require(typist.sealed(on: change))),
            ], token: try typist.lastToken(on: change, to: "/me/password"))
        #expect(back.status == 200 && typist.isShown(on: back))
    }

    @Test func `words wait sealed while nobody can say who is signed in`() async throws {
        let typist = try await Typist("/classes/{id}/announcements")
        typist.browser.set("homeroom", "token-of-a-later-session")
        typist.api.set("GET /v1/me", FakeAPI.problem(503, "unavailable"))
        let waiting = try await typist.send()
        #expect(waiting.status == 503 && !typist.isShown(on: waiting))
        typist.api.set("GET /v1/me", typist.me)
        let back = try await typist.browser.post(
            "/typed", [(Typed.field, try #require(typist.sealed(on: waiting)))],
            token: try typist.lastToken(on: waiting, to: "/typed"))
        #expect(back.status == 200 && typist.isShown(on: back))
    }

    @Test(arguments: [429, 500, 503])
    func `a call that fails late leaves the words on the page`(status: Int) async throws {
        let api = FakeAPI([
            "GET /v1/me": (200, FakeAPI.me(standings: ["teacher"])),
            "GET /v1/classes/c1": (200, ["id": "c1", "name": "Mathematics"]),
            "POST /v1/announcements": FakeAPI.problem(status, "unavailable"),
        ])
        let browser = Browser(api)
        browser.signIn()
        let page = try await browser.get("/classes/c1/announcements")
        let mark = "action=\"/classes/c1/announcements\""
        let form = page.text[try #require(page.text.firstRange(of: mark)).upperBound...]
        let token = try #require(form.firstMatch(of: /name="formToken" value="([^"]+)"/)).output.1
        let answer = try await browser.post(
            "/classes/c1/announcements", [("text", "Bring a magnet <on> Friday.")],
            token: String(token))
        #expect(answer.status >= 400, "the page itself may show its form again")
        #expect(answer.text.contains("Bring a magnet &lt;on&gt; Friday."))
        #expect(answer.text.contains("<textarea"))
    }

    @Test func `what is too long to be carried leads to the sign-in as before`() async throws {
        let typist = try await Typist("/classes/{id}/announcements")
        typist.browser.set("homeroom", nil)
        typist.words = String(repeating: "word", count: 160_000)
        let answer = try await typist.send()
        #expect(answer.status == 303 && answer.location == "/sign-in")
    }
}

/// A person who typed into a form of a page.
private final class Typist {
    let api = FakeAPI()
    let browser: Browser
    let target: String
    private let takesFile: Bool
    let me: FakeAPI.Answer = (200, FakeAPI.me(standings: ["teacher", "administrator"]))
    let another: FakeAPI.Answer = (
        200, FakeAPI.me(standings: ["teacher", "administrator"], id: "p2")
    )
    var words = "Look, <read>\nand \"draw\""
    private let title = "Magnets & more"
    private let secret = "hunter-hunter"

    init(_ pattern: String) async throws {
        browser = Browser(api)
        takesFile = Screens.pages.contains { $0.path == pattern && $0.takesFile }
        target = pattern.split(separator: "/").map {
            $0.hasPrefix("{") ? "/x1" : "/" + $0
        }.joined()
        api.set("GET /v1/me", me)
        browser.signIn()
        // The browser gets what seals.
        _ = try await browser.get("/me/language")
    }

    /// The token of a form with fields of every kind.
    func token(session: String = FakeAPI.token) throws -> String {
        let key = TypedKey(secret: try #require(browser.cookie("homeroom-typed")))
        let controls = FormControls(of: [
            field("title", label: "Title"), label(.for("words")) { "Words" },
            textarea(.id("words"), .name("words")),
            field("code", label: "Code", .type("password")),
            input(.type("checkbox"), .name("whom"), .value("a")),
            button(.type("submit"), .name("do"), .value("publish")) { "Publish now" },
        ])
        let said = key.seal(Typed.saidBy(controls, for: "p1"), for: .form)
        return FormKey(secret: session).token(saying: said)
    }

    func send(
        token: String? = nil, headers: [(name: String, value: String)] = []
    ) async throws -> Browser.Shown {
        let token = try token ?? self.token()
        let fields = [
            ("title", title), ("words", words), ("code", secret), ("whom", "a"), ("whom", "b"),
            ("do", "publish"),
        ]
        guard takesFile else {
            return try await browser.post(target, fields, token: token, headers: headers)
        }
        let parts = ([(FormKey.field, token)] + fields).map {
            "--part\r\nContent-Disposition: form-data; name=\"\($0.0)\"\r\n\r\n\($0.1)\r\n"
        }
        let type = (name: "Content-Type", value: "multipart/form-data; boundary=part")
        return try await browser.send(
            .post, target, headers + [type], Array((parts.joined() + "--part--\r\n").utf8))
    }

    /// Whether everything but the secret is there, to be read and to be sent.
    func isShown(on page: Browser.Shown) -> Bool {
        let parts = [
            "value=\"Magnets &amp; more\"", "Look, &lt;read&gt;\nand &quot;draw&quot;",
            "name=\"whom\" value=\"a\"", "name=\"whom\" value=\"b\"",
            "name=\"do\" value=\"publish\"", ">Publish now<", ">Title<", ">Words<",
        ]
        let shown = parts.filter { page.text.contains($0) }
        // All or nothing.
        #expect(shown.isEmpty || shown == parts)
        return !shown.isEmpty
    }

    func isSecretKept(from page: Browser.Shown) -> Bool { !page.text.contains(secret) }

    func sealed(on page: Browser.Shown) -> String? {
        page.text.firstMatch(of: /name="typed" value="([^"]+)"/).map { String($0.output.1) }
    }

    func lastToken(on page: Browser.Shown, to target: String) throws -> String {
        let mark = try #require(page.text.firstRange(of: "action=\"\(target)\""))
        let form = page.text[mark.upperBound...]
        let found = try #require(form.firstMatch(of: /name="formToken" value="([^"]+)"/))
        return String(found.output.1)
    }

    /// Fills in the sign-in page that carries the words.
    func signIn(from door: Browser.Shown, asKnown isKnown: Bool = true) async throws
        -> Browser.Shown
    {
        let sealed = try #require(self.sealed(on: door))
        let fields = isKnown ? [("managedId", "mira"), ("password", "secret")] : []
        return try await browser.post(
            "/sign-in", fields + [(Typed.field, sealed)],
            token: try lastToken(on: door, to: "/sign-in"))
    }

    /// Whether the form on a page is one that its session may send.
    func sendAgain(from page: Browser.Shown) async throws -> Bool {
        let session = try #require(browser.cookie("homeroom")).split(separator: ".")[0]
        return FormKey(secret: String(session)).accepts(try lastToken(on: page, to: target))
    }
}
