import HTTPWire
import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

/// What tools report is kept under names that nobody else has (0061_names_of_tools.sql).
@Suite struct NamesOfTools {
    @Test func `no app, team or task takes a tool's name`() async throws {
        try await withSchool(client: FakeTool()) { school in
            let tool = try await school.registerTool()
            let name = JSONValue.text("tool:\(tool.id)")
            let handout: JSONValue = [
                "classId": .text(school.biology.uuid.description), "title": "Work",
                "tasks": [["kind": "wholeApp", "bundleId": name]],
            ]
            let team: JSONValue = [
                "teamId": "T3A5M8ID01", "name": "Quiz Ltd", "bundleIds": [name], "keys": [],
            ]
            let app: JSONValue = [
                "adamId": "990011224", "name": "Quiz", "productType": "App", "bundleId": name,
            ]
            let signIn: JSONValue = [
                "managedId": .text(Persona.sam.managedID), "password": .text(Persona.password),
                "bundleId": name,
            ]
            let token: JSONValue = ["role": "student", "bundleId": name]
            let calls: [(path: String, persona: Persona?, body: JSONValue, pointer: String)] = [
                ("/v1/handouts", .tom, handout, "/tasks/0/bundleId"),
                ("/v1/developer-teams", .ada, team, "/bundleIds"),
                ("/v1/apps", .ada, app, "/bundleId"), ("/v1/sign-in", nil, signIn, "/bundleId"),
                ("/v1/development/tokens", .ada, token, "/bundleId"),
            ]
            for call in calls {
                let answer = try await school.post(call.path, as: call.persona, json: call.body)
                #expect(answer.status == 422 && answer.pointers == [call.pointer], "\(call.path)")
                #expect(answer.json["errors"]?[0]?["code"] == "reserved_bundle_id")
            }
            // Nothing else is wrong with the sign-in.
            var other = try #require(signIn.object)
            other["bundleId"] = "org.example.quiz"
            #expect(
                try await school.post("/v1/sign-in", as: nil, json: .object(other)).status == 200)
        }
    }

    @Test func `an app with a tool's name saves no contexts at its tasks`() async throws {
        try await withSchool(client: FakeTool()) { school in
            let tool = try await school.registerTool()
            let given = try await school.giveTool(tool)
            let context: JSONValue = [
                "identifierPath": [.text(given.task)], "title": "Cells", "type": "quiz",
            ]
            let saved = try await school.post(
                "/v1/me/contexts", as: .tomsApp, json: ["contexts": [context]])
            #expect(saved.status == 202, "under its own name")
            try school.renameApp(of: .tomsApp, "tool:\(tool.id)")
            let refused = try await school.post(
                "/v1/me/contexts", as: .tomsApp, json: ["contexts": [context]])
            #expect(refused.status == 422, "\(refused.text)")
            #expect(
                try school.sql("select from school.context where bundle_id like 'tool:%'").isEmpty)
        }
    }

    @Test func `a tool's name is for teachers who may give it, and for no rubbish`()
        async throws
    {
        try await withSchool(client: FakeTool()) { school in
            let everywhere = try await school.registerTool()
            let annex = try await school.post(
                "/v1/locations", as: .ada, json: ["name": "Annex", "sourceId": "annex"])
            try #require(annex.status == 201)
            let distant = try await school.registerTool(["locationId": "source:annex"])
            func name(_ bundleID: String) throws -> String? {
                try school.sql(
                    "select school.app_name(\(bundleID)) as name", as: school.caller(.tom))[0]
                    .optionalText("name")
            }
            #expect(try name("tool:\(everywhere.id)") == "Quiz")
            #expect(try name("tool:\(distant.id)") == nil)
            #expect(try name("tool:" + String(repeating: "-", count: 36)) == nil)
        }
    }

    @Test func `the database refuses a task of another kind by a tool's name`() async throws {
        try await withSchool(client: FakeTool()) { school in
            let tool = try await school.registerTool()
            let given = try await school.giveTool(tool)
            let handout = try #require(UUID(given.handout))
            func insert(_ bundleID: String) throws {
                try school.sql(
                    """
                    insert into school.task (organization_id, task_id, handout_id, class_id, position, kind, title,
                                             bundle_id, identifier_path)
                    select organization_id, school.new_id(), handout_id, class_id,
                           (select 1 + max(t.position) from school.task as t where t.handout_id = h.handout_id),
                           'appActivity', 'Cells', \(bundleID), array['x']
                      from school.handout as h where handout_id = \(handout)
                    """)
            }
            try insert("org.example.quiz")
            let error = #expect(throws: PostgresError.self) { try insert("tool:\(tool.id)") }
            #expect(error?.constraint == "task_name_of_a_tool_is_a_tools")
        }
    }
}

extension TestSchool {
    /// Gives the token of an app another bundle id, before it is used.
    func renameApp(of persona: Persona, _ name: String) throws {
        try sql(
            """
            update school.access_token set app = \(name)
             where person_id = \(persona.person?.personID) and standing = 'app'
            """)
    }
}
