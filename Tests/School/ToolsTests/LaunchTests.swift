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

/// The way into a tool: `/v1/tool-launches` and what the tool is told.
@Suite struct OpenTools {
    @Test func `a student opens an assigned task, and the tool knows a pseudonym`() async throws {
        try await withSchool(client: FakeTool()) { school in
            let tool = try await school.registerTool()
            let given = try await school.giveTool(tool, ["custom": ["chapter": "3"]])
            let opening = try await school.opening(given.task)
            #expect(opening.address == "https://quiz.example/login")
            #expect(opening.login["from"] == "school" && opening.login["iss"] == FakeTool.issuer)
            #expect(opening.login["target_link_uri"] == "https://quiz.example/cells")
            #expect(opening.login["lti_deployment_id"] == tool.deploymentID)
            let answer = try await school.authorize(opening)
            #expect(answer.json["action"]?.text == FakeTool.launchURL)
            #expect(answer.json["state"] == "s t")
            let claims = try await school.claims(answer, for: tool)
            let lti = TestSchool.lti
            #expect(claims["\(lti)message_type"] == "LtiResourceLinkRequest")
            #expect(claims["\(lti)version"] == "1.3.0")
            #expect(claims["\(lti)deployment_id"]?.text == tool.deploymentID)
            #expect(claims["\(lti)target_link_uri"] == "https://quiz.example/cells")
            #expect(claims["\(lti)custom"] == ["chapter": "3"])
            #expect(claims["\(lti)resource_link"]?["id"]?.text == given.task)
            #expect(claims["\(lti)resource_link"]?["title"] == "Cells")
            #expect(claims["\(lti)context"]?["title"] == "Biology")
            #expect(
                claims["\(lti)roles"] == [
                    "http://purl.imsglobal.org/vocab/lis/v2/membership#Learner"
                ])
            let grades = claims["https://purl.imsglobal.org/spec/lti-ags/claim/endpoint"]
            #expect(grades?["lineitem"]?.text?.hasSuffix("/line-items/\(given.task)") == true)
            #expect(grades?["scope"]?.array?.count == 4)
            let text = claims.members.map { String(decoding: $0.value.bytes, as: UTF8.self) }
                .joined()
            #expect(claims["sub"]?.text?.isEmpty == false)
            for secret in ["Sam", "Example", "sam@", "\(Persona.sam.personID.uuid)"] {
                #expect(!text.contains(secret), "\(secret)")
            }
        }
    }

    @Test func `names and addresses are told only if the school shares them`() async throws {
        try await withSchool(client: FakeTool()) { school in
            let tool = try await school.registerTool(["sharesNames": true])
            try school.sql("update school.person set email = 'sam@mail.example'")
            let given = try await school.giveTool(tool)
            let claims = try await school.launched(given.task, in: tool)
            #expect(claims["given_name"] == "Sam" && claims["family_name"] == "Example")
            #expect(claims["name"] == "Sam Example" && claims["email"] == nil)
            _ = try await school.patch(
                "/v1/tools/\(tool.id)", as: .ada,
                json: ["sharesNames": false, "sharesEmails": true])
            let other = try await school.launched(given.task, in: tool)
            #expect(other["given_name"] == nil && other["name"] == nil)
            #expect(other["email"] == "sam@mail.example")
        }
    }

    @Test func `a pseudonym stays the same in one tool and is another in the next`() async throws {
        try await withSchool(client: FakeTool()) { school in
            let (first, second) = (
                try await school.registerTool(), try await school.registerTool()
            )
            let (one, two) = (try await school.giveTool(first), try await school.giveTool(first))
            let other = try await school.giveTool(second)
            let subject = try await school.launched(one.task, in: first)["sub"]
            #expect(try await school.launched(two.task, in: first)["sub"] == subject)
            #expect(try await school.launched(other.task, in: second)["sub"] != subject)
            #expect(try await school.launched(one.task, in: first, as: .sue)["sub"] != subject)
        }
    }

    @Test(arguments: ["publish_at = null", "publish_at = now() + interval '1 day'"])
    func `before its handout is published, a task tells nothing of the class`(
        change: String
    ) async throws {
        try await withSchool(client: FakeTool()) { school in
            let tool = try await school.registerTool()
            let given = try await school.giveTool(tool)
            let inUse = try await school.launched(given.task, in: tool, as: .tom)
            try school.sql(
                change.contains("null")
                    ? "update school.handout set publish_at = null"
                    : "update school.handout set publish_at = now() + interval '1 day'")
            let claims = try await school.launched(given.task, in: tool, as: .tom)
            #expect(claims["\(TestSchool.lti)resource_link"]?["id"]?.text == given.task)
            func text(_ claims: JSONObject) -> String {
                claims.members.map { String(decoding: $0.value.bytes, as: UTF8.self) }.joined()
            }
            for trace in ["Biology", school.biology.uuid.description, "line-items", "memberships"] {
                #expect(text(inUse).contains(trace), "\(trace)")
                #expect(!text(claims).contains(trace), "\(trace)")
            }
        }
    }

    @Test func `a teacher opens a task as its instructor`() async throws {
        try await withSchool(client: FakeTool()) { school in
            let tool = try await school.registerTool()
            let given = try await school.giveTool(tool)
            let claims = try await school.launched(given.task, in: tool, as: .cora)
            #expect(
                claims["\(TestSchool.lti)roles"] == [
                    "http://purl.imsglobal.org/vocab/lis/v2/membership#Instructor"
                ])
        }
    }

    @Test func `what is not assigned is not opened`() async throws {
        try await withSchool(client: FakeTool()) { school in
            let tool = try await school.registerTool()
            let given = try await school.giveTool(tool, recipients: [.text("source:sis-sam")])
            let task: JSONValue = ["taskId": .text(given.task)]
            #expect(try await school.open(task).status == 201)
            for persona in [Persona.sue, .ben, .omar, .tess, .otto] {
                #expect(try await school.open(task, as: persona).status == 404, "\(persona)")
            }
            let quiz = try school.newHandout()
            let other: JSONValue = ["taskId": .text(quiz.task.uuid.description)]
            #expect(try await school.open(other).status == 404, "a task of an app")
        }
    }

    @Test func `a task that was taken back meanwhile is not opened`() async throws {
        try await withSchool(client: FakeTool()) { school in
            let tool = try await school.registerTool()
            let given = try await school.giveTool(tool)
            let opening = try await school.opening(given.task)
            let path = "/v1/handouts/\(given.handout)"
            #expect(try await school.delete(path, as: .tom).status == 204)
            #expect(try await school.authorize(opening).code == "tool_launch_over")
        }
    }

    @Test func `a launch is used once, by the person who began it, for the tool it began with`()
        async throws
    {
        try await withSchool(client: FakeTool()) { school in
            let tool = try await school.registerTool()
            let other = try await school.registerTool()
            let given = try await school.giveTool(tool)
            let opening = try await school.opening(given.task)
            #expect(try await school.authorize(opening, as: .sue).code == "tool_launch_over")
            #expect(try await school.authorize(opening, as: .tom).code == "tool_launch_over")
            let foreign = try await school.authorize(opening, ["clientId": .text(other.id)])
            #expect(foreign.code == "tool_launch_over")
            let guess = try await school.authorize(opening, ["messageHint": "guess"])
            #expect(guess.code == "tool_launch_over")
            let hint = try await school.authorize(
                opening, ["loginHint": .text(UUID.v7().description)])
            #expect(hint.code == "tool_launch_over")
            #expect(try await school.authorize(opening).status == 200)
            let again = try await school.authorize(opening)
            #expect(again.status == 409 && again.code == "tool_launch_over")
        }
    }

    @Test func `a launch ends after ten minutes, and with its tool`() async throws {
        try await withSchool(client: FakeTool()) { school in
            let tool = try await school.registerTool()
            let given = try await school.giveTool(tool)
            let old = try await school.opening(given.task)
            try school.sql("update school.tool_launch set expires_at = now() - interval '1 second'")
            #expect(try await school.authorize(old).code == "tool_launch_over")
            let opening = try await school.opening(given.task)
            #expect(try await school.delete("/v1/tools/\(tool.id)", as: .ada).status == 204)
            #expect(try await school.authorize(opening).code == "tool_launch_over")
            let late = try await school.open(["taskId": .text(given.task)])
            #expect(late.status == 409 && late.code == "tool_removed")
        }
    }

    @Test(arguments: [
        ("redirectUri", "https://quiz.example/launch/"), ("redirectUri", "https://evil.example/"),
        ("responseType", "code"), ("responseMode", "query"), ("prompt", "login"),
        ("scope", "profile"), ("nonce", ""), ("clientId", "quiz"),
    ])
    func `a wrong request of the tool names what is wrong, and leaves the launch`(
        field: String, value: String
    ) async throws {
        try await withSchool(client: FakeTool()) { school in
            let tool = try await school.registerTool()
            let given = try await school.giveTool(tool)
            let opening = try await school.opening(given.task)
            let refused = try await school.authorize(opening, [field: .text(value)])
            #expect(refused.status == 422 && refused.pointers == ["/\(field)"], "\(refused.text)")
            #expect(try await school.authorize(opening).status == 200)
        }
    }

    @Test func `a launch is for a task, or for a tool and a handout`() async throws {
        try await withSchool(client: FakeTool()) { school in
            let id = JSONValue.text(UUID.v7().description)
            for body: JSONValue in [
                [:], ["taskId": id, "toolId": id], ["toolId": id], ["handoutId": id],
            ] {
                let answer = try await school.open(body, as: .tom)
                #expect(answer.status == 422, "\(answer.text)")
            }
        }
    }

    @Test func `all processes sign with the key that the database names`() async throws {
        try await withSchool(client: FakeTool()) { school in
            let first = try await school.get("/lti/jwks", as: nil)
            let keys = first.json["keys"]?.array ?? []
            #expect(keys.count == 1 && keys[0]["kty"] == "RSA" && keys[0]["alg"] == "RS256")
            #expect(keys[0]["d"] == nil, "nothing of the private half")
            try school.sql(
                """
                update school.signing_key set created_at = now() - interval '91 days',
                       signs_from = now() - interval '91 days'
                 where purpose = 'toolMessages'
                """)
            let tool = try await school.registerTool()
            let given = try await school.giveTool(tool)
            _ = try await school.launched(given.task, in: tool)
            let next = try await school.get("/lti/jwks", as: nil)
            #expect(next.json["keys"]?.array?.count == 2)
        }
    }
}
