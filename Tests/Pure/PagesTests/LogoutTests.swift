import HTTPWire
import JSONBytes
import Testing

@testable import Pages

/// `/oauth/logout`, to which a connected system brings a browser.
@Suite struct Logouts {
    private static let after = "https://library.example/bye?state=x"
    private static let address =
        "/oauth/logout?id_token_hint=e.e.e&post_logout_redirect_uri=https%3A%2F%2Flibrary.example%2Fbye&state=x"
        + "&ui_locales=de"

    private func browser(_ check: JSONValue) -> Browser {
        Browser(FakeAPI(["POST /v1/authorizations/logout": (200, check)]))
    }

    @Test func `who proves the sign-in signs its person out at once, and gets the browser back`()
        async throws
    {
        let browser = browser(["confirmed": true, "redirectTo": .text(Self.after)])
        browser.signIn()
        let answer = try await browser.get(Self.address)
        #expect(answer.status == 303 && answer.location == Self.after)
        #expect(answer.header("Cache-Control") == "no-store")
        #expect(answer.header("Clear-Site-Data") != nil)
        #expect(browser.api.lines.contains("POST /v1/sign-out"))
        let asked: JSONValue = [
            "idTokenHint": "e.e.e", "postLogoutRedirectUri": "https://library.example/bye",
            "state": "x",
        ]
        #expect(browser.api.body(of: "POST /v1/authorizations/logout") == asked)
    }

    @Test func `without an address the browser stays, and says so`() async throws {
        let browser = browser(["confirmed": true])
        browser.signIn()
        let answer = try await browser.get("/oauth/logout?id_token_hint=e.e.e")
        #expect(answer.status == 303 && answer.location == "/sign-in")
        #expect(try await browser.get("/sign-in").text.contains("You are signed out."))
    }

    @Test func `what is not proved is asked`() async throws {
        let browser = browser([
            "confirmed": false, "client": "Library <one>", "redirectTo": .text(Self.after),
        ])
        browser.signIn()
        let page = try await browser.get(Self.address)
        #expect(page.status == 200 && page.text.contains("Library &lt;one&gt;"))
        #expect(
            page.header("Content-Security-Policy")?.hasSuffix(
                "form-action 'self' https://library.example") == true)
        #expect(!browser.api.lines.contains("POST /v1/sign-out"))
        let stays = try await browser.post(Self.address, [("do", "stay")])
        #expect(stays.location == Self.after && !browser.api.lines.contains("POST /v1/sign-out"))
        _ = try await browser.get(Self.address)
        let leaves = try await browser.post(Self.address, [("do", "signOut")])
        #expect(leaves.location == Self.after && browser.api.lines.contains("POST /v1/sign-out"))
    }

    @Test func `nobody is asked where nobody is signed in`() async throws {
        let back = try await browser(["confirmed": false, "redirectTo": .text(Self.after)])
            .get(Self.address)
        #expect(back.location == Self.after)
        let stays = try await browser(["confirmed": false]).get("/oauth/logout")
        #expect(stays.status == 303 && stays.location == "/sign-in")
    }

    @Test func `a request that comes as a form does nothing, and is looked at`() async throws {
        let browser = browser(["confirmed": true])
        browser.signIn()
        let answer = try await browser.send(
            .post, "/oauth/logout",
            [
                (name: "Content-Type", value: "application/x-www-form-urlencoded"),
                (name: "Sec-Fetch-Site", value: "cross-site"),
            ], Array("id_token_hint=e.e.e&state=a%26b".utf8))
        #expect(answer.location == "/oauth/logout?id_token_hint=e.e.e&state=a%26b")
        #expect(!browser.api.lines.contains("POST /v1/sign-out"))
    }

    @Test func `a parameter that is there twice is refused`() async throws {
        let browser = browser(["confirmed": true])
        browser.signIn()
        let page = try await browser.get(Self.address + "&state=y")
        #expect(page.status == 400 && page.text.contains("not a request to sign out"))
        #expect(!browser.api.lines.contains("POST /v1/sign-out"))
    }
}
