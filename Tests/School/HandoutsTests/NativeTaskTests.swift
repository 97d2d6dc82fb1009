import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

@Suite struct NativeTasks {
    @Test func `a teacher assigns a native context of their own, and a colleague what that shows`()
        async throws
    {
        try await withSchool { school in
            try school.plantNative(of: .tom)
            let unseen = try await school.give([TestSchool.own], by: .cora)
            #expect(unseen.pointers == ["/tasks/0/identifierPath"], "it is Tom's")
            let given = try await school.give([TestSchool.own])
            #expect(given.status == 201)
            #expect(given.json["tasks"]?[0]?["title"] == "Of tom")
            let seen = try await school.give([TestSchool.own], by: .cora)
            #expect(seen.status == 201, "Tom's handout shows it to her")
            let copied = try await school.post(school.path(given.json, "/copy"), as: .cora)
            #expect(copied.status == 201)
            let owners = try school.sql("select context_owner_id from school.task")
            #expect(
                try owners.map { try $0.uuid("context_owner_id") }
                    == Array(repeating: school.id(.tom).uuid, count: 3))
            #expect(try await school.work(at: ["own"]) == 1)
            let item = try await school.get("/v1/me/assignments", as: .sam).items[0]
            #expect(item["target"]?["universalLinkURL"] == "https://quizzler.example/own")
            #expect(item["recording"]?.isNull == false)
        }
    }

    @Test func `a student's app that saves the same path itself reports to the teacher's task`()
        async throws
    {
        try await withSchool { school in
            try school.plantNative(of: .tom)
            #expect(try await school.give([TestSchool.own]).status == 201)
            let saved = try await school.post(
                "/v1/me/contexts", as: .samsApp,
                json: [
                    "contexts": [["identifierPath": ["own"], "title": "Of Sam", "type": "quiz"]]
                ])
            #expect(saved.status == 202)
            let path = "/v1/me/contexts?path=%5B%22own%22%5D"
            let found = try await school.get(path, as: .samsApp)
            #expect(found.items.last?["title"] == "Of Sam", "the app finds its own first")
            #expect(try await school.work(at: ["own"]) == 1)
            // The task is for Tom's context, whatever becomes of Sam's.
            #expect(try await school.delete(path, as: .samsApp).status == 204)
            #expect(try await school.work(at: ["own"]) == 2)
            #expect(try await school.get(path, as: .samsApp).items.last?["title"] == "Of tom")
        }
    }

    @Test(arguments: [Persona.sam, .tess, .ben])
    func `nobody assigns somebody else's native context`(owner: Persona) async throws {
        try await withSchool { school in
            try school.plantNative(of: owner)
            let answer = try await school.give([TestSchool.own])
            #expect(answer.status == 422)
            #expect(answer.pointers == ["/tasks/0/identifierPath"])
            try school.plantNative(of: .tom)
            let own = try await school.give([TestSchool.own])
            #expect(own.json["tasks"]?[0]?["title"] == "Of tom", "one's own comes first")
        }
    }

    @Test func `the catalog's context wins over a native one of the same path`() async throws {
        try await withSchool { school in
            try school.plantContexts()
            try school.plantNative(of: .tom, at: ["capitals", "europe"])
            let given = try await school.give([school.capitals])
            #expect(given.json["tasks"]?[0]?["title"] == "Capitals of Europe")
            try school.sql(
                "update school.context set deleted_at = school.moment() where kind = 'catalog'")
            try school.sql("update school.context set deleted_at = deleted_at - interval '1 hour'")
            #expect(
                try await school.work() == 0, "the other one at the path does not keep it open")
        }
    }

    @Test func `a context that its owner removed records nothing more`() async throws {
        try await withSchool { school in
            try school.plantNative(of: .tom)
            let given = try await school.give([TestSchool.own])
            try school.sql("delete from school.context")
            #expect(try await school.work(at: ["own"]) == 0)
            let item = try await school.get("/v1/me/assignments", as: .sam).items[0]
            #expect(item["recording"]?.isNull == true)
            #expect(item["task"]?["title"] == "Of tom")
            let again = try await school.give([TestSchool.own])
            #expect(again.pointers == ["/tasks/0/identifierPath"])
            #expect(given.status == 201)
        }
    }

    @Test func `an erased owner's task keeps its title and records nothing more`()
        async throws
    {
        try await withSchool { school in
            try school.plantNative(of: .tom)
            _ = try await school.give([TestSchool.own])
            let tom = school.id(.tom).uuid.description
            let erased = try await school.post("/v1/people/\(tom)/erasure", as: .ada)
            #expect(erased.status == 200)
            let left = try school.sql("select title, context_owner_id from school.task")
            #expect(try left[0].text("title") == "Of tom")
            #expect(try left[0].optionalUUID("context_owner_id") == nil)
            try await school.upload([
                school.attempt(at: ["own"], from: school.ago(0), to: .some(nil))
            ])
            #expect(try school.storedCount() == 0)
            let item = try await school.get("/v1/me/assignments", as: .sam).items[0]
            #expect(item["recording"]?.isNull == true)
        }
    }
}

extension TestSchool {
    fileprivate static let own: JSONValue = [
        "kind": "appActivity", "bundleId": .text(TestIDs.quizzler), "identifierPath": ["own"],
    ]

    /// A persona's native context, put there directly.
    fileprivate func plantNative(of persona: Persona, at path: [String] = ["own"]) throws {
        try sql(
            """
            insert into school.context (organization_id, context_id, kind, environment, bundle_id,
                   identifier_path, locale, person_id, title, type, universal_link_url)
            values (\(hillside), school.new_id(), 'native', 'production', \(quizzler), \(path), 'en',
                    \(id(persona)), \("Of \(persona.rawValue)"), 'quiz', 'https://quizzler.example/own')
            """)
    }
}
