import HTTPWire
import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

/// What an app saves is kept for a while, whatever the person's role.
@Suite struct KeptContexts {
    private func context(_ path: [String], _ title: String) -> JSONValue {
        [
            "identifierPath": .array(path.map(JSONValue.text)), "title": .text(title),
            "type": path.isEmpty ? "app" : "quiz",
        ]
    }

    private func save(
        _ contexts: [JSONValue], _ school: TestSchool, as persona: Persona = .tomsApp
    ) async throws {
        let answer = try await school.post(
            "/v1/me/contexts", as: persona, json: ["contexts": .array(contexts)])
        #expect(answer.status == 202 && answer.text == "{}", "\(persona): \(answer.text)")
    }

    private func titles(_ school: TestSchool, as persona: Persona) async throws -> [String] {
        let path = "/v1/me/contexts?path=%5B%22a%22,%22b%22%5D"
        return try await school.get(path, as: persona).items.compactMap { $0["title"]?.text }
    }

    private func kept(_ school: TestSchool, of persona: Persona = .tom) throws -> [String] {
        try school.sql(
            """
            select title from school.context
             where kind = 'native' and person_id = \(persona.personID) and identifier_path <> '{}'
             order by title, deleted_at is not null
            """
        ).map { try $0.text("title") }
    }

    /// As the server's timer does.
    private func removeOutdated(_ school: TestSchool) throws {
        try school.removeOutdated()
    }

    private func age(_ school: TestSchool, days: Int, _ title: String) throws {
        try school.sql(
            """
            update school.context set saved_at = now() - make_interval(days => \(Int32(days)))
             where title = \(title)
            """)
    }

    @Test func `the apps of a teacher, of students and of staff read back the same`() async throws {
        try await withSchool { school in
            try school.sql(
                """
                update school.person_role set role = 'staff' where person_id = \(Persona.ben.personID)
                """)
            // A person whose role changes signs in again.
            try school.sql(
                "update school.access_token set revoked_at = null where person_id = \(Persona.ben.personID)"
            )
            _ = try school.newHandout(path: ["a", "b"])
            let apps: [Persona] = [.tomsApp, .samsApp, .suesApp, .bensApp]
            var answers: [Set<String>] = []
            for app in apps {
                try await save(
                    [context(["a"], "A"), context(["a", "b"], "B"), context(["c"], "C")], school,
                    as: app)
                var seen: Set<String> = []
                for query in ["%5B%22a%22,%22b%22%5D", "%5B%5D&children=true", "%5B%22c%22%5D"] {
                    let answer = try await school.get("/v1/me/contexts?path=\(query)", as: app)
                    #expect(answer.items.count > 1, "\(app): \(query)")
                    seen.insert(
                        answer.text.replacing(/"(createdAt|updatedAt)":"[^"]*"/, with: ""))
                }
                answers.append(seen)
            }
            #expect(answers.allSatisfy { $0 == answers[0] })
            #expect(
                try await school.delete("/v1/me/contexts?path=%5B%22a%22%5D", as: .bensApp)
                    .status == 204)
            #expect(try await titles(school, as: .bensApp) == [TestIDs.quizzler])
            #expect(
                try await titles(school, as: .samsApp) == [TestIDs.quizzler, "A", "B"])
        }
    }

    @Test
    func `an app's own context exists from the first save on, under the school's name for the app`()
        async throws
    {
        try await withSchool { school in
            try school.sql(
                """
                insert into school.app (organization_id, adam_id, bundle_id, name, product_type,
                                        is_device_assignable, is_revocable)
                values (\(school.hillside), '77', \(TestIDs.quizzler), 'Quizzler for schools', 'App',
                        true, true)
                """)
            #expect(try await titles(school, as: .samsApp).isEmpty)
            try await save([context(["a"], "A")], school, as: .samsApp)
            #expect(try await titles(school, as: .samsApp) == ["Quizzler for schools", "A"])
            try await save([context([], "Quizzler")], school, as: .samsApp)
            try await save([context(["a"], "A")], school, as: .samsApp)
            #expect(try await titles(school, as: .samsApp) == ["Quizzler", "A"])
        }
    }

    @Test func `unassigned contexts are forgotten thirty days after the last save`()
        async throws
    {
        try await withSchool { school in
            let all = ["old", "again", "given", "under"].map { context([$0], $0) }
            try await save(all + [context(["under", "given"], "leaf")], school)
            let handout = try school.newHandout(path: ["given"])
            let second = try school.newHandout(path: ["under", "given"])
            try school.sql(
                "update school.task set context_owner_id = \(Persona.tom.personID)")
            for title in ["old", "again", "given", "under", "leaf"] {
                try age(school, days: 29, title)
            }
            try removeOutdated(school)
            #expect(try kept(school).count == 5)
            for title in ["old", "again", "given", "under", "leaf"] {
                try age(school, days: 31, title)
            }
            // As saved.
            try await save([context(["again"], "again")], school)
            try removeOutdated(school)
            #expect(try kept(school) == ["again", "given", "leaf", "under"])
            #expect(
                try school.sql("select from school.context where kind = 'native'").count == 5,
                "the app's own context stays with them")

            try school.sql(
                """
                update school.handout set deleted_at = now() - interval '31 days'
                 where handout_id = \(handout.id)
                """)
            try school.sql("delete from school.task where task_id = \(second.task)")
            try removeOutdated(school)
            #expect(try kept(school) == ["again"])
        }
    }

    @Test func `beyond 5,000 per app no new ones are kept, whatever the role`() async throws {
        try await withSchool { school in
            for persona in [Persona.tom, .sam] {
                let app: Persona = persona == .tom ? .tomsApp : .samsApp
                try await save([context(["a"], "A")], school, as: app)
                try school.sql(
                    """
                    insert into school.context (organization_id, context_id, kind, person_id, environment,
                                                bundle_id, identifier_path, locale, title, type)
                    select \(school.hillside), gen_random_uuid(), 'native', \(persona.personID), 'production',
                           \(TestIDs.quizzler), array['of-' || n % 10, 'n' || n], 'und', 'Filled', 'quiz'
                      from generate_series(1, 4997) as n
                    """)
                try await save(
                    [context(["a"], "New A"), context(["a", "b"], "B"), context(["x"], "X")],
                    school, as: app)
                let names = try kept(school, of: persona).filter { $0 != "Filled" }
                #expect(names == ["B", "New A"])
            }
        }
    }

    @Test func `repeated saves and removals leave at most one context per path`() async throws {
        try await withSchool { school in
            _ = try school.newHandout(path: ["given"])
            try school.sql(
                "update school.task set context_owner_id = \(Persona.tom.personID)")
            for round in 0..<3 {
                try await save([context(["given"], "Given"), context(["other"], "Other")], school)
                for path in ["given", "other"] {
                    let target = "/v1/me/contexts?path=%5B%22\(path)%22%5D"
                    #expect(try await school.delete(target, as: .tomsApp).status == 204)
                }
                #expect(try kept(school) == ["Given"], "after \(round)")
            }
        }
    }

    @Test func `a student's app finds the teacher's assigned context, and nobody else's`()
        async throws
    {
        try await withSchool { school in
            try await save(
                [context(["a"], "A"), context(["a", "b"], "B"), context(["a", "c"], "C")], school)
            #expect(try await titles(school, as: .samsApp).isEmpty)
            let handout = try school.newHandout(path: ["a", "b"], to: [.sam])
            try school.sql(
                "update school.task set context_owner_id = \(Persona.tom.personID)")
            #expect(try await titles(school, as: .samsApp) == ["B"])
            let children = "/v1/me/contexts?path=%5B%22a%22%5D&children=true"
            let found = try await school.get(children, as: .samsApp).items
            #expect(found.compactMap { $0["title"]?.text } == ["B"])
            for app in [Persona.suesApp, .bensApp] {
                #expect(try await titles(school, as: app).isEmpty, "\(app) has no such task")
                #expect(try await school.get(children, as: app).items.isEmpty)
            }

            try await save([context(["a", "b"], "Sam's own B")], school, as: .samsApp)
            #expect(
                try await titles(school, as: .samsApp) == [TestIDs.quizzler, "Sam's own B"])
            try school.sql(
                """
                update school.handout set publish_at = now() + interval '1 day'
                 where handout_id = \(handout.id)
                """)
            #expect(
                try await school.delete("/v1/me/contexts?path=%5B%22a%22%5D", as: .samsApp).status
                    == 204)
            #expect(
                try await titles(school, as: .samsApp) == [TestIDs.quizzler], "not yet published")
        }
    }

    // MARK: The catalogue of a teacher

    @Test func `an app with native contexts alone is in the catalog of the person who saved them`()
        async throws
    {
        try await withSchool { school in
            try await save([context(["a"], "Amphibians"), context(["a", "b"], "Newts")], school)
            func found(_ words: String, by persona: Persona) async throws -> [String] {
                try await school.get("/v1/catalog/search?q=\(words)", as: persona).items
                    .compactMap { $0["title"]?.text }
            }
            let apps = try await school.get("/v1/catalog/apps", as: .tom)
            #expect(apps.items.map { $0["bundleId"]?.text } == [TestIDs.quizzler])
            #expect(apps.items[0]["origin"] == "native" && apps.items[0]["hasChildren"] == true)
            let children = "/v1/catalog/apps/\(TestIDs.quizzler)/contexts"
            #expect(
                try await school.get(children, as: .tom).items.map { $0["title"]?.text }
                    == ["Amphibians"])
            #expect(try await found("newt", by: .tom) == ["Newts"])
            #expect(try await found("newt&bundleId=\(TestIDs.quizzler)", by: .tom) == ["Newts"])
            for persona in [Persona.cora, .tess, .ada] {
                #expect(try await school.get("/v1/catalog/apps", as: persona).items.isEmpty)
                #expect(try await school.get(children, as: persona).status == 404)
                #expect(try await found("newt", by: persona).isEmpty)
            }

            // A handout shows it to the other teacher of the class.
            _ = try school.newHandout(path: ["a", "b"])
            try school.sql(
                "update school.task set context_owner_id = \(Persona.tom.personID)")
            #expect(try await found("newt", by: .cora) == ["Newts"])
            #expect(try await found("amphibians", by: .cora).isEmpty)
            for persona in [Persona.tess, .ada] {
                #expect(try await found("newt", by: persona).isEmpty)
            }
        }
    }
}
