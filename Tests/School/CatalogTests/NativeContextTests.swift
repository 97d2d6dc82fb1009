import HTTPWire
import JSONBytes
import Postgres
import School
import TestKit
import Testing

@Suite struct NativeContexts {
    private func context(
        _ path: [String], _ title: String, _ more: [(String, JSONValue)] = []
    ) -> JSONValue {
        .object(
            JSONObject(
                [
                    ("identifierPath", .array(path.map(JSONValue.text))), ("title", .text(title)),
                    ("type", path.isEmpty ? "app" : "quiz"),
                ] + more))
    }

    /// Without the app's own context, where the app did not save it itself.
    private func titles(
        _ school: TestSchool, _ path: String, as persona: Persona
    ) async throws -> [String] {
        let answer = try await school.get("/v1/me/contexts?path=\(path)", as: persona)
        #expect(answer.status == 200)
        return answer.items.compactMap { $0["title"]?.text }.filter { $0 != TestIDs.quizzler }
    }

    @discardableResult
    private func save(
        _ contexts: [JSONValue], _ school: TestSchool, as persona: Persona = .tomsApp
    ) async throws -> Answer {
        let answer = try await school.post(
            "/v1/me/contexts", as: persona, json: ["contexts": .array(contexts)])
        #expect(answer.status == 202 && answer.text == "{}")
        return answer
    }

    @Test func `a removal that arrives once more leaves what was saved since`() async throws {
        try await withSchool { school in
            try await save([context(["a"], "A")], school)
            func remove(_ name: String, _ key: String) async throws -> Answer {
                try await school.delete(
                    "/v1/me/contexts?path=%5B%22\(name)%22%5D", as: .tomsApp,
                    headers: [("Idempotency-Key", key)])
            }
            #expect(try await remove("a", "1").status == 204)
            try await save([context(["a"], "A again")], school)
            let late = try await remove("a", "1")
            #expect(late.status == 204 && late.header("idempotency-replayed") == "true")
            #expect(try await titles(school, "%5B%22a%22%5D", as: .tomsApp) == ["A again"])
            let reused = try await remove("b", "1")
            #expect(reused.status == 422 && reused.code == "idempotency_key_reused")
            let another = try await school.delete(
                "/v1/me/contexts?path=%5B%22a%22%5D", as: .tomsApp,
                headers: [("Idempotency-Key", "2")])
            #expect(another.status == 204 && another.header("idempotency-replayed") == nil)
            #expect(try await titles(school, "%5B%22a%22%5D", as: .tomsApp) == [])
        }
    }

    @Test func `contexts saved for a teacher form a path, in order`() async throws {
        try await withSchool { school in
            try await save(
                [
                    context(["unit-2", "check-1"], "Check 1", [("displayOrder", 2)]),
                    context(["unit-2"], "Unit 2", [("topic", "science"), ("isAssignable", false)]),
                    context(["unit-2", "check-0"], "Check 0", [("displayOrder", 1)]),
                    context([], "Quizzler"),
                ], school)
            let path = "%5B%22unit-2%22,%22check-1%22,%22more%22%5D"
            #expect(
                try await titles(school, path, as: .tomsApp) == ["Quizzler", "Unit 2", "Check 1"])
            let children = "%5B%22unit-2%22%5D&children=true"
            #expect(try await titles(school, children, as: .tomsApp) == ["Check 0", "Check 1"])
            let answer = try await school.get(
                "/v1/me/contexts?path=\(children)&limit=1", as: .tomsApp)
            let token = try #require(answer.json["nextPageToken"]?.text)
            #expect(answer.items[0]["topic"] == "science")
            #expect(
                try await titles(school, "\(children)&limit=1&pageToken=\(token)", as: .tomsApp)
                    == ["Check 1"])
            let first = try await school.get("/v1/me/contexts?path=\(path)&limit=2", as: .tomsApp)
            let next = try #require(first.json["nextPageToken"]?.text)
            #expect(
                try await titles(school, "\(path)&limit=2&pageToken=\(next)", as: .tomsApp)
                    == ["Check 1"])
        }
    }

    @Test func `saving again replaces, and missing parts can be completed later`() async throws {
        try await withSchool { school in
            try await save([context(["a", "b"], "B")], school)
            #expect(try await titles(school, "%5B%22a%22,%22b%22%5D", as: .tomsApp) == ["B"])
            try await save([context(["a"], "A"), context(["a", "b"], "New B")], school)
            #expect(
                try await titles(school, "%5B%22a%22,%22b%22%5D", as: .tomsApp) == ["A", "New B"])
        }
    }

    @Test func `catalog and native contexts are looked up together, native before its namesake`()
        async throws
    {
        try await withSchool { school in
            var team = Team()
            team.bundleIDs = [TestIDs.quizzler]
            try await school.register(team)
            _ = try await school.publish(
                [team.context([], "Quizzler"), team.context(["a"], "A of the catalog")],
                token: team.token())
            let path = "%5B%22a%22,%22b%22%5D"
            #expect(
                try await titles(school, path, as: .tomsApp) == ["Quizzler", "A of the catalog"])
            try await save([context(["a", "b"], "Own B")], school)
            #expect(
                try await titles(school, path, as: .tomsApp)
                    == ["Quizzler", "A of the catalog", "Own B"])
            try await save([context(["a"], "Own A")], school)
            #expect(try await titles(school, path, as: .tomsApp) == ["Quizzler", "Own A", "Own B"])
            #expect(
                try await titles(school, path, as: .samsApp) == ["Quizzler", "A of the catalog"])
        }
    }

    @Test func `they are private to the person, the app and the environment`() async throws {
        try await withSchool { school in
            try await save([context(["a"], "Of Tom")], school)
            #expect(try await titles(school, "%5B%22a%22%5D", as: .tomsApp) == ["Of Tom"])
            #expect(try await titles(school, "%5B%22a%22%5D", as: .suesApp).isEmpty)
            for persona in [Persona.cora, .tess, .ada, .sam, .otto] {
                let rows = try school.sql(
                    "select title from school.context where kind = 'native'",
                    as: school.caller(persona))
                #expect(rows.isEmpty, "\(persona)")
            }
            let own = try school.sql(
                "select title from school.context where kind = 'native' and title = 'Of Tom'",
                as: school.caller(.tom))
            #expect(own.count == 1)
            let browsed = try await school.get(
                "/v1/catalog/apps/\(TestIDs.quizzler)/contexts?path=%5B%5D", as: .cora)
            #expect(browsed.status == 404, "there is nothing in the catalog")
            #expect(try await school.get("/v1/me/contexts", as: .tom).status == 403)
        }
    }

    @Test func `a handout shows the context that it assigns, and no other`() async throws {
        try await withSchool { school in
            try await save([context(["mine"], "Mine"), context(["kept"], "Kept")], school)
            let handout = try school.newHandout(path: ["mine"])
            func seen(by persona: Persona) throws -> [String] {
                try school.sql(
                    """
                    select title from school.context
                     where kind = 'native' and identifier_path <> '{}' order by title
                    """,
                    as: school.caller(persona)
                ).map { try $0.text("title") }
            }
            #expect(try seen(by: .sam).isEmpty, "a path alone shows nobody else's")
            try school.sql(
                """
                update school.task set context_owner_id = \(Persona.tom.personID)
                 where task_id = \(handout.task)
                """)
            for persona in [Persona.sam, .sue, .cora] { #expect(try seen(by: persona) == ["Mine"]) }
            for persona in [Persona.ben, .tess, .ada, .otto] {
                #expect(try seen(by: persona).isEmpty, "\(persona)")
            }
            #expect(try seen(by: .tom) == ["Kept", "Mine"])
        }
    }

    @Test func `removing takes the descendants along, and doing it again answers the same`()
        async throws
    {
        try await withSchool { school in
            try await save(
                [context(["a"], "A"), context(["a", "b"], "B"), context(["ab"], "AB")], school)
            let target = "/v1/me/contexts?path=%5B%22a%22%5D"
            for _ in 0..<2 {
                let answer = try await school.delete(target, as: .tomsApp)
                #expect(answer.status == 204)
            }
            #expect(try await titles(school, "%5B%22a%22,%22b%22%5D", as: .tomsApp).isEmpty)
            #expect(try await titles(school, "%5B%22ab%22%5D", as: .tomsApp) == ["AB"])
            #expect(
                try await school.delete("/v1/me/contexts?path=%5B%5D", as: .tomsApp).status == 400)
            #expect(try await school.delete("/v1/me/contexts", as: .tomsApp).status == 400)
        }
    }

    @Test func `mistakes are named, whoever holds the device`() async throws {
        try await withSchool { school in
            let long = String(repeating: "x", count: 257 - TestIDs.quizzler.count)
            let wrong: [([JSONValue], String)] = [
                ([], "/contexts"),
                ((0..<201).map { context(["q\($0)"], "Q") }, "/contexts"),
                ([context(["a"], " ")], "/contexts/0/title"),
                ([context(["a"], "A"), context(["a"], "B")], "/contexts/1/identifierPath"),
                ([context([long], "Long")], "/contexts/0/identifierPath"),
                ([context((1...8).map { "l\($0)" }, "Deep")], "/contexts/0/identifierPath"),
                ([context(["a"], "A", [("suggestedAge", [9, 8])])], "/contexts/0/suggestedAge"),
                (
                    [context(["a"], "A", [("suggestedAge", ["9", nil])])],
                    "/contexts/0/suggestedAge/0"
                ),
                ([context(["a"], "A", [("thumbnailId", "x")])], "/contexts/0/thumbnailId"),
                (
                    [context(["a"], "A", [("navigationPaths", [[], [.text(long)]])])],
                    "/contexts/0/navigationPaths/1"
                ),
                (
                    [context(["a"], "A", [("navigationPaths", [["b", 1]])])],
                    "/contexts/0/navigationPaths/0/1"
                ),
            ]
            for (contexts, pointer) in wrong {
                for persona in [Persona.tomsApp, .samsApp] {
                    let answer = try await school.post(
                        "/v1/me/contexts", as: persona, json: ["contexts": .array(contexts)])
                    #expect(answer.status == 422)
                    #expect(answer.pointers.first == pointer)
                }
            }
        }
    }

    @Test func `beyond 2,000 children no new ones are kept, and existing ones still change`()
        async throws
    {
        try await withSchool { school in
            try await save([context(["first"], "First")], school)
            try school.sql(
                """
                insert into school.context (organization_id, context_id, kind, person_id, environment, bundle_id,
                                            identifier_path, locale, title, type)
                select \(school.hillside), gen_random_uuid(), 'native', \(Persona.tom.personID), 'production',
                       \(TestIDs.quizzler), array['filled-' || n], 'und', 'Filled', 'quiz'
                  from generate_series(1, 1998) as n
                """)
            try await save(
                [context(["first"], "Changed"), context(["x"], "X"), context(["y"], "Y")], school)
            #expect(try await titles(school, "%5B%22first%22%5D", as: .tomsApp) == ["Changed"])
            #expect(try await titles(school, "%5B%22x%22%5D", as: .tomsApp) == ["X"])
            #expect(try await titles(school, "%5B%22y%22%5D", as: .tomsApp).isEmpty)
        }
    }
}
