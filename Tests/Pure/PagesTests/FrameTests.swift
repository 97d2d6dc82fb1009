import HTTPServer
import HTTPWire
import JSONBytes
import Testing

@testable import Pages

@Suite struct Frames {
    @Test(arguments: ["/sign-in", "/me/sign-in", "/classes/unknown"])
    func `every page forbids what it does not need`(path: String) async throws {
        let browser = Browser(FakeAPI(["GET /v1/me": (200, FakeAPI.me(standings: ["teacher"]))]))
        if path != "/sign-in" { browser.signIn() }
        let page = try await browser.get(path)
        #expect(
            page.header("Content-Security-Policy")
                == "default-src 'none'; style-src 'self'; img-src 'self'; script-src 'self'; "
                + "connect-src 'self'; base-uri 'none'; frame-ancestors 'none'; form-action 'self'")
        #expect(page.header("Cache-Control") == "no-store")
        #expect(page.header("X-Frame-Options") == "DENY")
        #expect(page.header("Referrer-Policy") == "same-origin")
        #expect(page.header("X-Content-Type-Options") == "nosniff")
        #expect(page.header("Content-Type") == "text/html; charset=utf-8")
        for forbidden in [" style=", " onclick=", "<script>", "javascript:", "data:", "http://"] {
            #expect(!page.text.contains(forbidden), "\(forbidden)")
        }
        #expect(page.text.hasPrefix("<!doctype html>\n<html lang=\"en\" dir=\"ltr\">"))
        #expect(page.text.components(of: "<h1") == 1 && page.text.components(of: "<main") == 1)
        #expect(!page.text.contains("<Upper>"), "names are text")
    }

    @Test(arguments: [403, 404])
    func `what one may not see and what is not there look the same`(status: Int) async throws {
        let browser = Browser(
            FakeAPI([
                "GET /v1/me": (200, FakeAPI.me(standings: ["teacher"])),
                "GET /v1/classes/c1": FakeAPI.problem(status, "some_code"),
                "GET /v1/handouts": (200, ["items": []]),
            ]))
        browser.signIn()
        let page = try await browser.get("/classes/c1")
        #expect(page.status == status)
        #expect(page.text.contains("This is not yours, or it does not exist."))
        #expect(!page.text.contains("some_code") && !page.text.contains("The API"))
    }

    @Test func `an address that leads nowhere is a page for people and a problem for programs`()
        async throws
    {
        let browser = Browser()
        let accept = [(name: "Accept", value: "text/html,application/xhtml+xml;q=0.9,*/*;q=0.8")]
        let signedOut = try await browser.get("/nowhere", accept)
        #expect(signedOut.status == 404 && signedOut.text.contains("Nothing to see here"))
        browser.signIn()
        let signedIn = try await browser.get("/nowhere", accept)
        #expect(signedIn.status == 404 && signedIn.text.contains("href=\"/my-work\""))
        for accept in ["*/*", "application/json", "text/html;q=0"] {
            let refused = try await browser.get("/nowhere", [(name: "Accept", value: accept)])
            #expect(refused.status == 404 && refused.text.contains("unknown_call"), "\(accept)")
        }
        let posted = try await browser.send(.post, "/nowhere", accept, [])
        #expect(posted.text.contains("unknown_call"))
    }

    @Test func `a failure names the request for the administrator`() async throws {
        let browser = Browser(
            FakeAPI([
                "GET /v1/me": (200, FakeAPI.me(standings: ["teacher"])),
                "GET /v1/classes": FakeAPI.problem(503, "unavailable"),
            ]))
        browser.signIn()
        let page = try await browser.get("/classes")
        #expect(page.status == 503 && page.text.contains("<code>request-7</code>"))
        #expect(page.text.contains("The server does not answer"))
        #expect(page.text.contains("Try again in 2 minutes."))
        #expect(page.header("Retry-After") == "90", "programs read it, too")
    }

    @Test func `a form that is too large is refused in words`() async throws {
        let browser = Browser()
        let body = [UInt8](repeating: UInt8(ascii: "a"), count: 1_048_577)
        let refused = try await browser.send(
            .post, "/sign-in",
            [(name: "Content-Type", value: "application/x-www-form-urlencoded")], body)
        #expect(refused.status == 413 && refused.text.contains("That is too large"))
    }

    @Test func `pages take their methods only`() async throws {
        let browser = Browser()
        let refused = try await browser.send(.put, "/sign-in", [], [])
        #expect(refused.status == 405)
        #expect(refused.header("Allow") == "GET, POST, HEAD, OPTIONS")
        let options = try await browser.send(.options, "/sign-in", [], [])
        #expect(options.status == 204 && options.header("Allow") == "GET, POST, HEAD, OPTIONS")
        #expect(try await browser.send(.head, "/sign-in", [], []).status == 200)
        #expect(try await browser.get("/sign-out").status == 405)
        #expect(browser.api.lines == ["GET /v1/sign-in/offered-providers"], "for HEAD")
    }

    @Test(arguments: ["/v1/me", "/healthz", "/docs", "/sign-in/", "/nowhere", "/assets/other.css"])
    func `everything else is the API's`(path: String) async throws {
        let browser = Browser()
        browser.signIn()
        _ = try await browser.get(path, [(name: "Authorization", value: "Bearer own")])
        #expect(browser.api.calls.map(\.line) == ["GET \(path)"])
        #expect(browser.api.calls.first?.token == "own", "the cookie opens pages only")
    }

    @Test func `files are kept for good, under names with their digest`() async throws {
        let browser = Browser()
        let page = try await browser.get("/sign-in").text
        let paths = page.matches(of: /(?:href|src)="(\/assets\/[^"#]+)/).map { String($0.1) }
        #expect(Set(paths).count == 3)
        for path in paths {
            #expect(path.contains(/^\/assets\/[a-z]+-[0-9a-f]{16}\.(css|js|svg)$/))
            let file = try await browser.get(path)
            #expect(file.status == 200 && !file.text.isEmpty)
            #expect(file.header("Cache-Control") == "public, max-age=31536000, immutable")
            #expect(file.header("Set-Cookie") == nil)
        }
        let icon = try await browser.get("/favicon.ico")
        #expect(icon.status == 200 && icon.header("Content-Type") == "image/x-icon")
    }

    @Test func `every icon of the source is in the sprite`() async throws {
        let file = try #require(Assets.shared.paths.first { $0.name == "/assets/icons.svg" })
        let sprite = try await Browser().get(file.path).text
        let symbols = sprite.matches(of: /<symbol id="([a-z-]+)"/).map { String($0.1) }
        #expect(Set(symbols).count == symbols.count && symbols.count == Icon.allCases.count + 1)
        for icon in Icon.allCases {
            let text = String(decoding: icon.html.bytes, as: UTF8.self)
            let name = try #require(text.firstMatch(of: /#([a-z-]+)"/)).1
            #expect(symbols.contains(String(name)))
        }
    }

    @Test func `the menu offers what the person is, and marks where one is`() async throws {
        let browser = Browser()
        browser.signIn()
        let student = try await browser.get("/me/language")
        #expect(
            student.text.contains("href=\"/my-work\"") && !student.text.contains("href=\"/school\"")
        )
        #expect(student.text.contains("<bdi>Mira Castell</bdi>, student"))
        let teacher = Browser(
            FakeAPI([
                "GET /v1/me": (200, FakeAPI.me(standings: ["teacher", "administrator"])),
                "GET /v1/classes": (
                    200,
                    [
                        "items": [
                            ["id": "c1", "name": "Math <7>", "number": "7A", "studentIds": ["x"]]
                        ]
                    ]
                ),
            ]))
        teacher.signIn()
        let classes = try await teacher.get("/classes")
        #expect(classes.text.contains("href=\"/classes\" aria-current=\"page\""))
        #expect(
            classes.text.contains("href=\"/school\"") && !classes.text.contains("href=\"/my-work\"")
        )
        #expect(classes.text.contains("Math &lt;7&gt;") && classes.text.contains("1 student<"))
    }

    @Test func `no two pages share a path and a method`() {
        let all = Screens.pages.map { "\($0.method) \($0.path)" }
        #expect(Set(all).count == all.count)
    }
}

extension String {
    /// How often a text occurs.
    fileprivate func components(of part: String) -> Int { ranges(of: part).count }
}
