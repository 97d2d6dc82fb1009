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

/// `/v1/tools`.
@Suite struct RegisterTools {
    @Test func `an administrator registers a tool, changes it, and removes it`() async throws {
        try await withSchool(client: FakeTool()) { school in
            let tool = try await school.registerTool()
            let path = "/v1/tools/\(tool.id)"
            let found = try await school.get(path, as: .ada)
            #expect(found.json["name"] == "Quiz" && found.json["clientId"]?.text == tool.id)
            #expect(found.json["sharesNames"] == false && found.json["sharesEmails"] == false)
            #expect(found.json["locationId"] == .null && found.json["removedAt"] == .null)
            let changed = try await school.patch(
                path, as: .ada, json: ["sharesNames": true, "locationId": "source:main"])
            #expect(changed.status == 200 && changed.json["sharesNames"] == true)
            #expect(changed.json["deploymentId"]?.text == tool.deploymentID)
            #expect(try await school.delete(path, as: .ada).status == 204)
            #expect(try await school.get(path, as: .ada).status == 404)
            let removed = try await school.get("/v1/tools?removed=true", as: .ada)
            #expect(removed.items.map { $0["id"]?.text } == [tool.id])
            let kinds = try school.sql(
                "select details ->> 'change' as change from school.audit_event where kind = 'toolChange'"
            )
            #expect(
                try kinds.map { try $0.text("change") }.sorted() == [
                    "changed", "registered", "removed",
                ])
        }
    }

    @Test func `two registrations at once never make more than 100 tools`() async throws {
        try await withSchool(client: FakeTool()) { school in
            try school.sql(
                """
                insert into school.tool (organization_id, tool_id, name, login_url, redirect_uris, launch_url, key_set)
                select \(school.hillside), school.new_id(), 'Quiz', 'https://quiz.example/login',
                       array['https://quiz.example/launch'], 'https://quiz.example/launch', '{}'
                  from generate_series(1, 98)
                """)
            let removed = try await school.registerTool()
            #expect(try await school.delete("/v1/tools/\(removed.id)", as: .ada).status == 204)
            let body: JSONValue = [
                "name": "Quiz", "loginUrl": "https://quiz.example/login",
                "redirectUris": [.text(FakeTool.launchURL)], "launchUrl": .text(FakeTool.launchURL),
                "keySetUrl": .text(FakeTool.keySetURL),
            ]
            let answers = await withTaskGroup(of: Answer?.self) { calls in
                for _ in 0..<6 {
                    calls.addTask { try? await school.post("/v1/tools", as: .ada, json: body) }
                }
                return await calls.reduce(into: [Answer]()) { all, answer in
                    if let answer { all.append(answer) }
                }
            }
            #expect(answers.count == 6 && answers.count { $0.status == 201 } == 2)
            let refused = answers.filter { $0.status != 201 }
            #expect(refused.allSatisfy { $0.status == 409 && $0.code == "too_many_tools" })
            // Another organization has its own.
            _ = try await school.registerTool(as: .olga)
        }
    }

    @Test(arguments: [
        ("loginUrl", "http://quiz.example/login"), ("launchUrl", "javascript:alert(1)"),
        ("deepLinkingUrl", "https://u@quiz.example/"), ("keySetUrl", "ftp://quiz.example/"),
        ("loginUrl", "https://quiz.example/#part"),
    ])
    func `an address that browsers or the server should not go to is refused`(
        field: String, url: String
    ) async throws {
        try await withSchool(client: FakeTool()) { school in
            let tool = try await school.registerTool()
            let answer = try await school.patch(
                "/v1/tools/\(tool.id)", as: .ada, json: .object(JSONObject([(field, .text(url))])))
            #expect(answer.status == 422 && answer.pointers == ["/\(field)"])
        }
    }

    @Test func `a redirect URI is refused by its place`() async throws {
        try await withSchool(client: FakeTool()) { school in
            let tool = try await school.registerTool()
            let answer = try await school.patch(
                "/v1/tools/\(tool.id)", as: .ada,
                json: ["redirectUris": ["https://quiz.example/a", "http://quiz.example/b"]])
            #expect(answer.status == 422 && answer.pointers == ["/redirectUris/1"])
            let local = try await school.patch(
                "/v1/tools/\(tool.id)", as: .ada,
                json: ["redirectUris": ["http://127.0.0.1:9001/launch"]])
            #expect(local.status == 200)
        }
    }

    @Test func `a tool has keys in one way, and they can verify`() async throws {
        try await withSchool(client: FakeTool()) { school in
            let tool = try await school.registerTool()
            let path = "/v1/tools/\(tool.id)"
            let none = try await school.patch(path, as: .ada, json: ["keySetUrl": nil])
            #expect(none.status == 422 && none.pointers == ["/keySetUrl"])
            let both = try await school.patch(path, as: .ada, json: ["keySet": "{}"])
            #expect(both.status == 422 && both.pointers == ["/keySet"])
            let wrong = try await school.patch(
                path, as: .ada, json: ["keySetUrl": nil, "keySet": "{\"keys\":[]}"])
            #expect(wrong.status == 422 && wrong.pointers == ["/keySet"])
            let keys: JSONValue = ["keys": [FakeTool.keys[0].publicJWK]]
            let right = try await school.patch(
                path, as: .ada,
                json: [
                    "keySetUrl": nil, "keySet": .text(String(decoding: keys.bytes, as: UTF8.self)),
                ])
            #expect(right.status == 200)
        }
    }

    @Test func `teachers see the tools of their classes' locations, and give no others`()
        async throws
    {
        try await withSchool(client: FakeTool()) { school in
            let everywhere = try await school.registerTool()
            let annex = try await school.post(
                "/v1/locations", as: .ada, json: ["name": "Annex", "sourceId": "annex"])
            try #require(annex.status == 201)
            let distant = try await school.registerTool(["locationId": "source:annex"])
            let seen = try await school.get("/v1/tools", as: .tom)
            #expect(seen.items.map { $0["id"]?.text } == [everywhere.id])
            #expect(try await school.get("/v1/tools", as: .ada).items.count == 2)
            #expect(try await school.get("/v1/tools/\(distant.id)", as: .tom).status == 404)
            let handout: JSONValue = [
                "classId": .text(school.biology.uuid.description), "title": "Work",
                "tasks": [["kind": "tool", "toolId": .text(distant.id), "title": "Cells"]],
            ]
            let refused = try await school.post("/v1/handouts", as: .tom, json: handout)
            #expect(refused.status == 422 && refused.pointers == ["/tasks/0/toolId"])
            let foreign = try await school.registerTool(as: .olga)
            let other = try await school.get("/v1/tools/\(foreign.id)", as: .ada)
            #expect(other.status == 404)
        }
    }
}
