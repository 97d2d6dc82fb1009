import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

@Suite("?order= of the directory")
struct OrdersOfTheDirectory {
    /// Some fields of all items in pages of two.
    private func pages(
        _ school: TestSchool, _ path: String, _ field: String, as persona: Persona = .ada
    ) async throws -> [JSONValue] {
        var found: [JSONValue] = []
        var target = "\(path)&limit=2"
        for _ in 1...20 {
            let page = try await school.get(target, as: persona)
            #expect(page.status == 200, "\(page.text)")
            #expect(page.items.count <= 2)
            found += page.items.map { $0[field] ?? .null }
            guard let token = page.json["nextPageToken"]?.text else { return found }
            target = "\(path)&limit=2&pageToken=\(token)"
        }
        Issue.record("the list has no end")
        return found
    }

    @Test func `classes come by name as in a dictionary, those of one name by id`() async throws {
        try await withSchool { school in
            for name in ["Zoology", "Éthique", "biology", "Biology", "Ethics"] {
                try school.sql(
                    """
                    insert into school.class (organization_id, class_id, location_id, name)
                    values (\(school.hillside), school.new_id(), \(school.mainLocation), \(name))
                    """)
            }
            let names = try await pages(school, "/v1/classes?order=name", "name").map(\.text)
            #expect(
                names == [
                    "biology", "Biology", "Biology", "Chemistry", "Ethics", "Éthique", "Zoology",
                ])
            let ids = try await pages(school, "/v1/classes?order=name&q=biology", "id")
                .compactMap(\.text)
            #expect(ids.count == 3 && Set(ids).count == 3)
            #expect(ids[1] < ids[2])
            let own = try await pages(school, "/v1/classes?order=name", "name", as: .tess)
            #expect(own == ["Chemistry"])
        }
    }

    @Test(arguments: ["courses", "locations", "terms", "service-accounts"])
    func `other records with names come by name`(list: String) async throws {
        try await withSchool { school in
            let known = try await school.get("/v1/\(list)?order=name", as: .ada)
            #expect(known.status == 200)
            let wrong = try await school.get("/v1/\(list)?order=size", as: .ada)
            #expect(wrong.status == 400)
            let token = try await school.get("/v1/people?order=name&limit=1", as: .ada)
                .json["nextPageToken"]?.text
            let foreign = try await school.get(
                "/v1/\(list)?order=name&pageToken=\(try #require(token))", as: .ada)
            #expect(foreign.status == 400)
        }
    }

    @Test func `people come by their last sign-in, the latest first and the others last`()
        async throws
    {
        try await withSchool { school in
            let path = "/v1/people?role=student&order=lastSignIn"
            for (persona, days) in [(Persona.sue, 3), (.sam, 9)] {
                try school.sql(
                    """
                    update school.credential set last_sign_in_at = school.moment() - make_interval(days => \(days)::integer)
                     where person_id = \(persona.personID)
                    """)
            }
            // Ben and Pia never signed in.
            let pia = try await school.post(
                "/v1/people", as: .ada, json: school.student("Pia", "Page"))
            #expect(pia.status == 201)
            let names = try await pages(school, path, "givenName")
            #expect(names == ["Sue", "Sam", "Ben", "Pia"])
            try school.sql(
                "update school.credential set last_sign_in_at = '2026-09-01T08:00:00.5Z'")
            let same = try await pages(school, path, "givenName")
            #expect(same == ["Sam", "Sue", "Ben", "Pia"])
            let shown = try await school.get(path, as: .ada).items.map { $0["lastSignInAt"] }
            let then: JSONValue = "2026-09-01T08:00:00.500Z"
            #expect(shown == [then, then, then, .null])
        }
    }

    @Test func `a teacher does not learn from the order who signed in`() async throws {
        try await withSchool { school in
            try school.sql(
                """
                update school.credential set last_sign_in_at = school.moment()
                 where person_id = \(Persona.sue.personID)
                """)
            let path = "/v1/people?role=student&order=lastSignIn"
            let seen = try await school.get(path, as: .ada).items.map { $0["givenName"]?.text }
            #expect(seen.first == "Sue")
            let toms = try await school.get(path, as: .tom)
            #expect(toms.items.map { $0["givenName"]?.text } == ["Sam", "Sue"])
            #expect(toms.items.allSatisfy { $0["lastSignInAt"] == .null })
        }
    }
}
