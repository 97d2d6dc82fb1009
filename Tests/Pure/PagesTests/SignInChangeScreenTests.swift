import JSONBytes
import Testing

@testable import Pages

/// What others changed of the visitor's sign-in stands on top of the pages until the visitor has seen it.
@Suite struct SignInChangesOnPages {
    private func browser(_ changes: [JSONValue]) -> Browser {
        var me = FakeAPI.me(standings: ["teacher"]).object!
        var person = me["person"]!.object!
        person["signInChanges"] = .array(changes)
        me["person"] = .object(person)
        return teacherBrowser([
            "GET /v1/me": (200, .object(me)),
            "DELETE /v1/me/sign-in-changes": (204, .null),
        ])
    }

    private func change(
        _ word: String, _ name: JSONValue, as standing: JSONValue = "administrator"
    ) -> JSONValue {
        [
            "change": .text(word), "changedAt": "2026-11-21T08:00:00.000Z", "name": name,
            "standing": standing,
        ]
    }

    @Test func `each change is said with its hand, and confirmed once`() async throws {
        let browser = browser([
            change("email", "Ada <b>Adams"), change("password", .null, as: "server"),
            change("managedId", "Sync"), change("link", "Google", as: .null),
            change("email", .null), change("link", .null, as: .null),
        ])
        let page = try await browser.get("/me/sign-in")
        for sentence in [
            "<bdi>Ada &lt;b&gt;Adams</bdi> changed your email address",
            "Whoever runs this server gave you a new password",
            "<bdi>Sync</bdi> changed your managed ID",
            "An account at <bdi>Google</bdi> now signs you in",
            "Someone whose record is gone changed your email address",
            "An account at a sign-in provider that is gone now signs you in",
        ] {
            #expect(page.text.contains(sentence), "\(sentence)")
        }
        let answer = try await browser.post("/me/sign-in-changes", [("to", "/me/sign-in")])
        #expect(answer.status == 303 && answer.location == "/me/sign-in")
        #expect(browser.api.lines.contains("DELETE /v1/me/sign-in-changes"))
    }

    @Test func `nothing is said where nothing changed, nor to who signs in`() async throws {
        let page = try await browser([]).get("/me/sign-in")
        #expect(page.status == 200 && !page.text.contains("sign-in-changes"))
    }
}
