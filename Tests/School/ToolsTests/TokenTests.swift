import API
import Crypto
import HTTPClient
import HTTPWire
import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

/// `POST /lti/token`: how a tool proves who it is.
@Suite struct TokensOfTools {
    @Test func `a tool gets a token for what it asks and there is`() async throws {
        let fake = FakeTool()
        try await withSchool(client: fake) { school in
            let tool = try await school.registerTool()
            let answer = try await school.askForToolToken(
                fake.assertion(tool.id), scopes: [TestSchool.allScopes[2], "openid"])
            #expect(answer.status == 200 && answer.json["token_type"] == "Bearer")
            #expect(answer.json["scope"]?.text == TestSchool.allScopes[2])
            let given = try await school.giveTool(tool)
            let token = answer.json["access_token"]?.text ?? ""
            #expect(
                try await school.score(["userId": "nobody"], at: given.task, token: token).status
                    == 204)
            let items = try await school.asTool(
                "/lti/classes/\(school.biology.uuid)/line-items", token: token)
            #expect(items.status == 403, "another scope")
            #expect(try await school.asTool("/v1/me", token: token).status == 403)
        }
    }

    @Test func `an assertion is taken once`() async throws {
        let fake = FakeTool()
        try await withSchool(client: fake) { school in
            let tool = try await school.registerTool()
            let other = try await school.registerTool()
            let assertion = fake.assertion(tool.id) { $0["jti"] = "once" }
            #expect(try await school.askForToolToken(assertion).status == 200)
            let again = try await school.askForToolToken(assertion)
            #expect(again.status == 400 && again.json["error"] == "invalid_client")
            // The same id is another tool's own.
            let others = fake.assertion(other.id) { $0["jti"] = "once" }
            #expect(try await school.askForToolToken(others).status == 200)
        }
    }

    @Test(arguments: [
        ("aud", "https://elsewhere.example/lti/token"), ("iss", "quiz"), ("sub", "quiz"),
        ("exp", "0"), ("exp", "99999999999"), ("iat", "0"), ("iat", "99999999999"), ("jti", ""),
        ("jti", String(repeating: "j", count: 300)), ("exp", "soon"),
    ])
    func `an assertion that breaks a rule is refused`(claim: String, value: String) async throws {
        let fake = FakeTool()
        try await withSchool(client: fake) { school in
            let tool = try await school.registerTool()
            let assertion = fake.assertion(tool.id) {
                $0[claim] = Int64(value).map { JSONValue(integerLiteral: $0) } ?? .text(value)
            }
            let answer = try await school.askForToolToken(assertion)
            #expect(answer.status == 400 && answer.json["error"] == "invalid_client")
            #expect(
                try school.sql("select from school.access_token where tool_id is not null").isEmpty)
            #expect(try await school.askForToolToken(fake.assertion(tool.id)).status == 200)
        }
    }

    @Test func `a claim that is missing is refused`() async throws {
        let fake = FakeTool()
        try await withSchool(client: fake) { school in
            let tool = try await school.registerTool()
            for claim in ["iss", "sub", "aud", "exp", "iat", "jti"] {
                let assertion = fake.assertion(tool.id) { $0[claim] = Optional.none }
                #expect(try await school.askForToolToken(assertion).status == 400, "\(claim)")
            }
        }
    }

    @Test func `a signature counts only with the tool's own key`() async throws {
        let fake = FakeTool()
        try await withSchool(client: fake) { school in
            let tool = try await school.registerTool()
            let forged = fake.assertion(tool.id, key: FakeTool.keys[1])
            #expect(try await school.askForToolToken(forged).status == 400)
            let parts = fake.assertion(tool.id).split(separator: ".")
            let header: JSONValue = ["alg": "none"]
            let unsigned = "\(Base64.encodeURL(header.bytes)).\(parts[1])."
            #expect(try await school.askForToolToken(unsigned).status == 400)
            for rubbish in ["", "a.b.c", String(repeating: "a", count: 15_000)] {
                #expect(try await school.askForToolToken(rubbish).status == 400)
            }
            let unknown = fake.assertion(UUID.v7().description)
            #expect(try await school.askForToolToken(unknown).status == 400)
            let failures = try school.sql(
                "select from school.audit_event where kind = 'signInFailure' and subject_id = \(tool.id)"
            )
            #expect(failures.count > 0)
        }
    }

    @Test func `a new key is looked for once a minute, and a lost tool takes no key away`()
        async throws
    {
        let fake = FakeTool()
        try await withSchool(client: fake) { school in
            let tool = try await school.registerTool()
            #expect(try await school.askForToolToken(fake.assertion(tool.id)).status == 200)
            #expect(try await school.askForToolToken(fake.assertion(tool.id)).status == 200)
            #expect(fake.asked == 1, "known for an hour")
            fake.change { $0.key = FakeTool.keys[1] }
            #expect(try await school.askForToolToken(fake.assertion(tool.id)).status == 200)
            #expect(fake.asked == 2)
            fake.change { $0.key = FakeTool.keys[0] }
            #expect(try await school.askForToolToken(fake.assertion(tool.id)).status == 400)
            #expect(fake.asked == 2, "not again within a minute")
        }
    }

    private static let troubles: [Result<OutgoingAnswer, OutgoingFailure>] = [
        .success(OutgoingAnswer(status: 500, body: [])),
        .success(OutgoingAnswer(status: 200, body: Array("no".utf8))),
        .success(OutgoingAnswer(status: 200, body: Array(#"{"keys":[{"kty":"oct"}]}"#.utf8))),
        .failure(.foreignPlace), .failure(.slow),
    ]

    @Test(arguments: troubles)
    func `keys that cannot be had make a clear refusal`(
        answer: Result<OutgoingAnswer, OutgoingFailure>
    ) async throws {
        let fake = FakeTool()
        try await withSchool(client: fake) { school in
            let tool = try await school.registerTool()
            fake.change { $0.answer = answer }
            let refused = try await school.askForToolToken(fake.assertion(tool.id))
            #expect(refused.status == 400)
            let words = refused.json["error_description"]?.text ?? ""
            #expect(words.contains("keySetUrl"), "\(words)")
            if case .failure(.foreignPlace) = answer {
                #expect(words.contains("HOMEROOM_LOCAL_TOOLS"))
            }
        }
    }

    @Test func `too many calls of others are no failure of the tool, which may try again`()
        async throws
    {
        let fake = FakeTool()
        try await withSchool(client: fake) { school in
            let tool = try await school.registerTool()
            fake.change { $0.answer = .failure(.busy) }
            let busy = try await school.askForToolToken(fake.assertion(tool.id))
            #expect(busy.status == 503 && busy.json["error"] == "temporarily_unavailable")
            #expect(busy.header("Retry-After") == "5")
            let failures: Statement =
                "select from school.audit_event where kind = 'signInFailure'"
            #expect(try school.sql(failures).isEmpty)
            fake.change { $0.answer = nil }
            let forged = fake.assertion(tool.id, key: FakeTool.keys[1])
            #expect(try await school.askForToolToken(forged).status == 400)
            #expect(try school.sql(failures).count == 1)
            #expect(try await school.askForToolToken(fake.assertion(tool.id)).status == 200)
        }
    }

    @Test func `a message of LTI is not an assertion`() async throws {
        let fake = FakeTool()
        try await withSchool(client: fake) { school in
            let tool = try await school.registerTool()
            let message = fake.assertion(tool.id) {
                $0["\(TestSchool.lti)message_type"] = "LtiDeepLinkingResponse"
            }
            let refused = try await school.askForToolToken(message)
            #expect(refused.status == 400 && refused.json["error"] == "invalid_client")
            #expect(try await school.askForToolToken(fake.assertion(tool.id)).status == 200)
        }
    }

    @Test func `a form that is not one is refused by its standard's codes`() async throws {
        let fake = FakeTool()
        try await withSchool(client: fake) { school in
            let tool = try await school.registerTool()
            for (field, value, code) in [
                ("grant_type", "password", "unsupported_grant_type"),
                ("client_assertion_type", "secret", "invalid_request"),
                ("client_assertion", "", "invalid_request"), ("scope", "openid", "invalid_scope"),
            ] {
                let answer = try await school.askForToolToken(
                    fake.assertion(tool.id), [field: value])
                #expect(answer.status == 400 && answer.json["error"]?.text == code)
            }
        }
    }

    @Test func `tokens end with their tool, and sixty a minute are enough`() async throws {
        let fake = FakeTool()
        try await withSchool(client: fake) { school in
            let tool = try await school.registerTool()
            let given = try await school.giveTool(tool)
            let token = try await school.toolToken(of: tool, by: fake)
            let path = "/lti/classes/\(school.biology.uuid)/line-items/\(given.task)"
            #expect(try await school.asTool(path, token: token).status == 200)
            #expect(try await school.delete("/v1/tools/\(tool.id)", as: .ada).status == 204)
            let rows = try school.sql(
                """
                select from school.access_token
                 where tool_id = \(try #require(UUID(tool.id))) and revoked_at is null
                """)
            #expect(rows.isEmpty)
            #expect(try await school.askForToolToken(fake.assertion(tool.id)).status == 400)
            let busy = try await school.registerTool()
            try school.sql(
                """
                insert into school.access_token (organization_id, digest, standing, tool_id, expires_at)
                select \(school.hillside), sha256(n::text::bytea), 'tool', \(try #require(UUID(busy.id))), now()
                  from generate_series(1, 60) as n
                """)
            let tooMany = try await school.askForToolToken(fake.assertion(busy.id))
            #expect(tooMany.status == 429 && tooMany.header("Retry-After") != nil)
        }
    }
}
