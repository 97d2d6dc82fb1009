import JSONBytes
import Postgres
import School
import TestKit
import Testing

/// Contexts that are shown below others, too.
@Suite struct NavigationPaths {
    private func context(
        _ path: [String], _ title: String, below paths: [[String]]? = nil
    ) -> JSONValue {
        var fields: [(String, JSONValue)] = [
            ("identifierPath", .array(path.map(JSONValue.text))), ("title", .text(title)),
            ("type", "quiz"),
        ]
        if let paths {
            fields.append(
                ("navigationPaths", .array(paths.map { .array($0.map(JSONValue.text)) })))
        }
        return .object(JSONObject(fields))
    }

    private func save(_ contexts: [JSONValue], _ school: TestSchool) async throws {
        let answer = try await school.post(
            "/v1/me/contexts", as: .tomsApp, json: ["contexts": .array(contexts)])
        #expect(answer.status == 202)
    }

    private func titles(
        below path: String, as persona: Persona, _ school: TestSchool
    ) async throws -> [String?] {
        try await school.get(
            "/v1/catalog/apps/\(TestIDs.quizzler)/contexts?path=\(path)", as: persona
        ).items.map { $0["title"]?.text }
    }

    @Test func `what an app saved is browsed below its parent and wherever else it is shown`()
        async throws
    {
        try await withSchool { school in
            try await save(
                [
                    context(["unit"], "Unit"), context(["tests"], "Tests"),
                    context(["unit", "final"], "Final", below: [["tests"], [], ["later"]]),
                ], school)
            #expect(try await titles(below: "%5B%22unit%22%5D", as: .tom, school) == ["Final"])
            #expect(try await titles(below: "%5B%22tests%22%5D", as: .tom, school) == ["Final"])
            #expect(
                try await titles(below: "%5B%5D", as: .tom, school).compactMap(\.self).sorted()
                    == ["Final", "Tests", "Unit"])
            let top = try await school.get(
                "/v1/catalog/apps/\(TestIDs.quizzler)/contexts", as: .tom)
            let tests = top.items.first { $0["title"] == "Tests" }
            #expect(tests?["hasChildren"] == true)

            let read = try await school.get(
                "/v1/me/contexts?path=%5B%22unit%22,%22final%22%5D", as: .tomsApp)
            #expect(
                read.items.map { $0["navigationPaths"] }
                    == [[], [], [["tests"], [], ["later"]]])

            try await save([context(["unit", "final"], "Final")], school)
            #expect(try await titles(below: "%5B%22tests%22%5D", as: .tom, school).isEmpty)
            #expect(try await titles(below: "%5B%22unit%22%5D", as: .tom, school) == ["Final"])
        }
    }

    @Test func `others see it there only if a handout shows it to them`() async throws {
        try await withSchool { school in
            try await save(
                [
                    context(["unit"], "Unit"), context(["tests"], "Tests"),
                    context(["unit", "final"], "Final", below: [["tests"]]),
                ], school)
            for path in [["unit", "final"], ["tests"]] {
                _ = try school.newHandout(path: path, publishedAt: school.ago(60))
            }
            #expect(try await titles(below: "%5B%22tests%22%5D", as: .cora, school).isEmpty)
            try school.sql("update school.task set context_owner_id = \(Persona.tom.personID)")
            #expect(try await titles(below: "%5B%22tests%22%5D", as: .cora, school) == ["Final"])
            #expect(try await titles(below: "%5B%22tests%22%5D", as: .tess, school).isEmpty)
        }
    }

    @Test func `the catalog's places are read without the bundle id`() async throws {
        try await withSchool { school in
            var team = Team()
            team.bundleIDs = [TestIDs.quizzler]
            try await school.register(team)
            let places: JSONValue = [["path": [.text(TestIDs.quizzler), "tests"]]]
            let posted = try await school.publish(
                [
                    team.context([], "Quizzler"),
                    team.context(["a"], "A", metadata: [("presentablePaths", places)]),
                ], token: team.token())
            #expect(posted.status == 201)
            let read = try await school.get("/v1/me/contexts?path=%5B%22a%22%5D", as: .samsApp)
            #expect(read.items.map { $0["navigationPaths"] } == [[], [["tests"]]])
        }
    }
}
