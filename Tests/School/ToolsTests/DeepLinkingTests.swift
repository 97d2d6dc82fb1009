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

/// A teacher chooses content in a tool.
@Suite struct ChoosingInTools {
    private static let claim = "https://purl.imsglobal.org/spec/lti-dl/claim/"

    /// A draft of Tom's.
    private func draft(_ school: TestSchool) async throws -> String {
        let answer = try await school.post(
            "/v1/handouts", as: .tom,
            json: ["classId": .text(school.biology.uuid.description), "title": "Work"])
        try #require(answer.status == 201, "\(answer.text)")
        return answer.json["id"]?.text ?? ""
    }

    /// Opens the tool; returns the id of the launch and what the tool has to hand back.
    private func asked(
        _ school: TestSchool, _ tool: MadeTool, _ handout: String
    ) async throws -> (id: String, data: String) {
        let begun = try await school.open(
            ["toolId": .text(tool.id), "handoutId": .text(handout)], as: .tom)
        let opening = try TestSchool.opening(begun)
        let answer = try await school.authorize(opening, as: .tom)
        let claims = try await school.claims(answer, for: tool)
        #expect(claims["\(TestSchool.lti)message_type"] == "LtiDeepLinkingRequest")
        #expect(claims["\(TestSchool.lti)context"] == nil, "the class does not use the tool yet")
        #expect(claims["\(TestSchool.lti)resource_link"] == nil)
        let settings = claims["\(Self.claim)deep_linking_settings"]
        #expect(settings?["deep_link_return_url"]?.text == "\(FakeTool.issuer)/lti/deep-linking")
        return (begun.json["id"]?.text ?? "", settings?["data"]?.text ?? "")
    }

    private func response(
        _ tool: MadeTool, _ data: String, _ items: [JSONValue], nonce: String = SecureRandom.token()
    ) -> JSONObject {
        JSONObject([
            ("aud", .text(FakeTool.issuer)), ("nonce", .text(nonce)),
            ("\(TestSchool.lti)message_type", "LtiDeepLinkingResponse"),
            ("\(TestSchool.lti)deployment_id", .text(tool.deploymentID)),
            ("\(TestSchool.lti)version", "1.3.0"), ("\(Self.claim)data", .text(data)),
            ("\(Self.claim)content_items", .array(items)),
        ])
    }

    private func send(
        _ school: TestSchool, _ token: String, accept: String = "*/*"
    ) async throws -> Answer {
        try await school.send(
            .post, "/lti/deep-linking", token: nil, body: Array("JWT=\(token)".utf8),
            headers: [("Content-Type", "application/x-www-form-urlencoded"), ("Accept", accept)])
    }

    private static let item: JSONValue = [
        "type": "ltiResourceLink", "title": "Cells", "url": "https://quiz.example/cells",
        "custom": ["chapter": 3],
        "lineItem": ["scoreMaximum": 12, "resourceId": "cells-1", "tag": "Übung"],
    ]

    @Test func `what the tool answers waits for the teacher, and becomes a task`() async throws {
        let fake = FakeTool()
        try await withSchool(client: fake) { school in
            let tool = try await school.registerTool()
            let handout = try await draft(school)
            let asked = try await asked(school, tool, handout)
            let before = try await school.get("/v1/tool-launches/\(asked.id)", as: .tom)
            #expect(before.json["answered"] == false && before.json["items"] == [])
            let answer = try await send(
                school, fake.sign(response(tool, asked.data, [Self.item]), as: tool.id))
            #expect(answer.status == 303, "\(answer.text)")
            #expect(answer.header("Location") == "/handouts/\(handout)/tools/\(asked.id)")
            let chosen = try await school.get("/v1/tool-launches/\(asked.id)", as: .tom)
            let item = chosen.json["items"]?[0]
            #expect(chosen.json["answered"] == true && item?["title"] == "Cells")
            #expect(item?["custom"] == ["chapter": "3"])
            for persona in [Persona.cora, .tess] {
                let other = try await school.get("/v1/tool-launches/\(asked.id)", as: persona)
                #expect(other.status == 404, "\(persona)")
            }
            var task = item?.object ?? JSONObject()
            task["kind"] = "tool"
            task["toolId"] = .text(tool.id)
            let changed = try await school.patch(
                "/v1/handouts/\(handout)", as: .tom, json: ["tasks": [.object(task)]])
            #expect(changed.status == 200, "\(changed.text)")
            let made = changed.json["tasks"]?[0]
            #expect(made?["scoreMaximum"]?.double == 12)
            #expect(made?["resourceId"] == "cells-1" && made?["tag"] == "Übung")
        }
    }

    @Test func `an answer is taken once, and only from the tool that was asked`() async throws {
        let fake = FakeTool()
        try await withSchool(client: fake) { school in
            let tool = try await school.registerTool()
            let other = try await school.registerTool()
            let asked = try await asked(school, tool, try await draft(school))
            let foreign = fake.sign(response(other, asked.data, [Self.item]), as: other.id)
            #expect(try await send(school, foreign).code == "tool_launch_over")
            let forged = fake.sign(
                response(tool, asked.data, [Self.item]), as: tool.id, key: FakeTool.keys[1])
            #expect(try await send(school, forged).code == "deep_links_refused")
            let guessed = fake.sign(response(tool, "guess", [Self.item]), as: tool.id)
            #expect(try await send(school, guessed).code == "tool_launch_over")
            let strange = fake.sign(
                response(
                    MadeTool(id: tool.id, deploymentID: other.deploymentID), asked.data,
                    [Self.item]), as: tool.id)
            #expect(try await send(school, strange).code == "tool_launch_over", "its deployment")
            let noted = try school.sql("select count(*) as count from school.tool_token_id")
            #expect(try noted[0].int("count") == 0, "answers without a question leave nothing")
            let right = fake.sign(response(tool, asked.data, [Self.item]), as: tool.id)
            #expect(try await send(school, right).status == 303)
            #expect(try await send(school, right).code == "tool_launch_over", "the same nonce")
            let more = fake.sign(response(tool, asked.data, []), as: tool.id)
            #expect(try await send(school, more).code == "tool_launch_over", "answered already")
        }
    }

    /// The page in the browser names no more than the kind of the mistake.
    @Test func `a browser is led to words where an answer is refused`() async throws {
        let fake = FakeTool()
        try await withSchool(client: fake) { school in
            let tool = try await school.registerTool()
            let asked = try await asked(school, tool, try await draft(school))
            let browser = "text/html,application/xhtml+xml;q=0.9,*/*;q=0.8"
            let over = fake.sign(response(tool, "guess", [Self.item]), as: tool.id)
            for (token, why) in [("none", "deep_links_refused"), (over, "tool_launch_over")] {
                let answer = try await send(school, token, accept: browser)
                #expect(answer.status == 303 && answer.text.isEmpty)
                #expect(answer.header("Location") == "/lti/refused?why=\(why)")
            }
            let right = fake.sign(response(tool, asked.data, [Self.item]), as: tool.id)
            let taken = try await send(school, right, accept: browser)
            #expect(taken.header("Location")?.hasPrefix("/handouts/") == true)
        }
    }

    @Test func `an answer without a question, or before the tool was opened, changes nothing`()
        async throws
    {
        let fake = FakeTool()
        try await withSchool(client: fake) { school in
            let tool = try await school.registerTool()
            let begun = try await school.open(
                ["toolId": .text(tool.id), "handoutId": .text(try await draft(school))], as: .tom)
            let data = try TestSchool.opening(begun).login["lti_message_hint"] ?? ""
            let early = fake.sign(response(tool, data, [Self.item]), as: tool.id)
            #expect(try await send(school, early).code == "tool_launch_over")
            let given = try await school.giveTool(tool)
            let opening = try await school.opening(given.task)
            #expect(try await school.authorize(opening).status == 200)
            let task = fake.sign(
                response(tool, opening.login["lti_message_hint"] ?? "", [Self.item]), as: tool.id)
            #expect(try await send(school, task).code == "tool_launch_over")
        }
    }

    @Test(
        arguments: [
            ["type": "html", "html": "<b>"], ["type": "ltiResourceLink"],
            ["type": "ltiResourceLink", "title": " "],
            ["type": "ltiResourceLink", "title": "Cells\nand more"],
            // One letter for people, 300 code points for the database.
            [
                "type": "ltiResourceLink",
                "title": .text("a" + String(repeating: "\u{301}", count: 299)),
            ],
            ["type": "ltiResourceLink", "title": "Cells", "custom": ["a": "b\u{1}"]],
            ["type": "ltiResourceLink", "title": "Cells", "url": "javascript:alert(1)"],
            ["type": "ltiResourceLink", "title": "Cells", "custom": ["a": ["b"]]],
            ["type": "ltiResourceLink", "title": "Cells", "lineItem": ["scoreMaximum": 0]],
            ["type": "ltiResourceLink", "title": "Cells", "lineItem": ["tag": 1]],
            [
                "type": "ltiResourceLink", "title": "Cells",
                "lineItem": ["resourceId": .text(String(repeating: "r", count: 257))],
            ],
        ] as [JSONValue])
    func `an item that cannot be given is refused whole`(item: JSONValue) async throws {
        let fake = FakeTool()
        try await withSchool(client: fake) { school in
            let tool = try await school.registerTool()
            let asked = try await asked(school, tool, try await draft(school))
            let answer = try await send(
                school, fake.sign(response(tool, asked.data, [Self.item, item]), as: tool.id))
            #expect(answer.status == 422 && answer.code == "deep_links_refused")
            #expect(answer.json["detail"]?.text?.hasPrefix("Item 2: ") == true, "\(answer.text)")
            let right = fake.sign(response(tool, asked.data, [Self.item]), as: tool.id)
            #expect(try await send(school, right).status == 303, "the tool may try again")
        }
    }

    @Test func `bytes that are no answer are refused`() async throws {
        let fake = FakeTool()
        try await withSchool(client: fake) { school in
            let tool = try await school.registerTool()
            for text in ["", "a.b.c", "%FF%00", String(repeating: "x", count: 16_000)] {
                #expect(try await send(school, text).status == 422)
            }
            let asked = try await asked(school, tool, try await draft(school))
            for (name, value) in [
                ("\(TestSchool.lti)message_type", "LtiResourceLinkRequest"),
                ("\(TestSchool.lti)version", "1.1"), ("aud", "https://elsewhere.example"),
            ] {
                let wrong = fake.sign(response(tool, asked.data, [Self.item]), as: tool.id) {
                    $0[name] = .text(value)
                }
                #expect(try await send(school, wrong).status == 422, "\(name)")
            }
            let nameless = fake.sign(response(tool, asked.data, [Self.item]), as: tool.id) {
                $0["\(TestSchool.lti)deployment_id"] = Optional.none
            }
            #expect(try await send(school, nameless).status == 422)
            let many = fake.sign(
                response(tool, asked.data, Array(repeating: Self.item, count: 21)), as: tool.id)
            #expect(try await send(school, many).status == 422)
        }
    }

    @Test func `only who may change the handout chooses for it`() async throws {
        let fake = FakeTool()
        try await withSchool(client: fake) { school in
            let tool = try await school.registerTool()
            let plain = try await school.registerTool(["deepLinkingUrl": nil])
            let handout = try await draft(school)
            func choose(_ tool: MadeTool, _ persona: Persona) async throws -> Answer {
                try await school.open(
                    ["toolId": .text(tool.id), "handoutId": .text(handout)], as: persona)
            }
            #expect(try await choose(tool, .tom).status == 201)
            for persona in [Persona.cora, .tess, .sam, .otto] {
                #expect(try await choose(tool, persona).status == 404, "\(persona)")
            }
            let none = try await choose(plain, .tom)
            #expect(none.status == 409 && none.code == "tool_without_content")
            let foreign = try await school.registerTool(as: .olga)
            #expect(try await choose(foreign, .tom).code == "tool_without_content")
        }
    }
}
