import HTTPWire
import JSONBytes
import Testing

@testable import Pages

/// The page on which an administrator makes a content token.
@Suite struct ContentTokenPages {
    private static let locations: FakeAPI.Answer = (
        200, ["items": [["id": "l1", "name": "Main <b>"]]]
    )

    private func browser(_ answers: [String: FakeAPI.Answer]) -> Browser {
        AdministratorsPages.browser(
            ["GET /v1/locations": Self.locations].merging(answers) { $1 })
    }

    @Test func `a token is shown once`() async throws {
        let browser = browser([
            "POST /v1/content-tokens": (
                201, ["id": "t1", "name": "Zentral <b>", "contentToken": "only-this-once"]
            )
        ])
        let form = try await browser.get("/content-tokens/new")
        #expect(form.text.contains("Main &lt;b&gt;"))
        let shown = try await browser.post(
            "/content-tokens/new",
            [("name", "Zentral <b>"), ("locationId", "l1"), ("country", "de")])
        #expect(shown.status == 200 && shown.text.contains("only-this-once"))
        #expect(shown.text.contains("Zentral &lt;b&gt;"))
        #expect(shown.header("Cache-Control") == "no-store")
        #expect(
            browser.api.body(of: "POST /v1/content-tokens") == [
                "name": "Zentral <b>", "locationId": "l1", "country": "DE",
            ])
    }

    @Test func `what is wrong stands beside its field, and nothing that was typed is lost`()
        async throws
    {
        let refusal = FakeAPI.problem(
            422, "invalid",
            JSONObject([("errors", [["pointer": "/country", "code": "malformed"]])]))
        let browser = browser(["POST /v1/content-tokens": refusal])
        _ = try await browser.get("/content-tokens/new")
        let refused = try await browser.post(
            "/content-tokens/new",
            [("name", "Zentral"), ("locationId", "l1"), ("country", "Germany")])
        #expect(refused.status == 422 && refused.text.contains("href=\"#country\""))
        #expect(refused.text.contains("Enter the country or region in two letters"))
        #expect(refused.text.contains("value=\"Germany\""))
    }

    @Test func `the list of accounts leads there`() async throws {
        let browser = browser(["GET /v1/service-accounts": (200, ["items": []])])
        let list = try await browser.get("/services")
        #expect(list.text.contains("href=\"/content-tokens/new\""))
    }
}
