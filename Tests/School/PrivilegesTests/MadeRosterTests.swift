import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

/// Whom teachers find and add to classes they made, and when that ends.
@Suite struct MadeRosters {
    private func names(_ answer: Answer) -> [String] {
        (answer.json["items"]?.array ?? []).compactMap { $0["givenName"]?.text }
    }

    @Test func `a search shows names and grades of people with the role at the location`()
        async throws
    {
        try await withSchool { school in
            let made = try await school.madeClass()
            try school.sql(
                "update school.person set grade = '8' where person_id = \(school.id(.ben))")
            let found = try await school.candidates("ben%20exa", in: made)
            #expect(names(found) == ["Ben"])
            #expect(
                Set(found.json["items"]?[0]?.object?.members.map(\.key) ?? [])
                    == ["id", "givenName", "familyName", "nameOrder", "grade"])
            #expect(found.json["items"]?[0]?["grade"] == "8")
            #expect(
                names(try await school.candidates("example", in: made)) == ["Ben", "Sam", "Sue"])
            #expect(
                names(try await school.candidates("example", "teacher", in: made))
                    == ["Cora", "Tess"], "Tom is in it")
            #expect(names(try await school.candidates("omar", in: made)).isEmpty)
            #expect(try await school.seat(.ben, "student", in: made) == 204)
            try school.sql(
                """
                update school.person set deactivated_at = now() where person_id = \(school.id(.sue))
                """)
            #expect(names(try await school.candidates("example", in: made)) == ["Sam"])
        }
    }

    @Test(arguments: ["be", "%25%25%25", "___", "e_x", "b e n"])
    func `a search needs three letters`(query: String) async throws {
        try await withSchool { school in
            let made = try await school.madeClass()
            let short = query.replacing(" ", with: "%20")
            #expect(try await school.candidates(short, in: made).status == 400)
            #expect(try await school.candidates("%E7%8E%8B%E5%B0%8F", in: made).status == 200)
        }
    }

    @Test func `a search is for those who may change the class, and counted`() async throws {
        try await withSchool { school in
            let made = try await school.madeClass()
            let biology = school.biology.uuid.description
            #expect(try await school.candidates("example", in: biology).status == 403)
            #expect(try await school.candidates("example", in: made, as: .tess).status == 404)
            #expect(try school.sql("select 1 as one from school.roster_search").isEmpty)
            #expect(try await school.candidates("example", in: made).status == 200)
            try school.sql("update school.roster_search set searches = 300")
            let tooMany = try await school.candidates("example", in: made)
            #expect(tooMany.status == 429 && tooMany.json["code"] == "too_many_searches")
            try school.sql("update school.roster_search set searched_on = searched_on - 1")
            #expect(try await school.candidates("example", in: made).status == 200)
        }
    }

    @Test func `only people with the role at the location are added`() async throws {
        try await withSchool { school in
            let made = try await school.madeClass()
            for (person, role, status) in [
                (Persona.sam, "student", 204), (.sam, "student", 204), (.sam, "teacher", 404),
                (.cora, "student", 404), (.ada, "teacher", 404), (.omar, "student", 404),
                (.otto, "teacher", 404), (.cora, "teacher", 204),
            ] {
                #expect(
                    try await school.seat(person, role, in: made) == status, "\(person) \(role)")
            }
            #expect(try school.roster("student", of: made) == ["Sam"])
            #expect(try school.roster("teacher", of: made) == ["Tom", "Cora"])
            #expect(
                try school.events(of: made) == [
                    "Tom classChange made", "Tom rosterChange student",
                    "Tom rosterChange teacher", "Tom rosterChange teacher",
                ], "adding Sam again changes nothing")
        }
    }

    @Test func `people of another location are neither found nor added`() async throws {
        try await withSchool { school in
            let made = try await school.madeClass()
            #expect(names(try await school.candidates("ben", in: made)) == ["Ben"])
            let north = try await school.post("/v1/locations", as: .ada, json: ["name": "North"])
            let id = try #require(UUID(north.json["id"]?.text ?? ""))
            try school.sql(
                """
                update school.person_role set location_id = \(id) where person_id = \(school.id(.ben))
                """)
            #expect(names(try await school.candidates("ben", in: made)).isEmpty)
            #expect(try await school.seat(.ben, "student", in: made) == 404)
            try school.sql(
                """
                update school.person_role set location_id = \(id) where person_id = \(school.id(.tom))
                """)
            let held = try school.sql(
                "select outcome from school.hold_made_class(\(UUID(made)))", as: school.caller(.tom)
            )
            #expect(try held[0].text("outcome") == "forbidden", "Tom moved, too")
        }
    }

    @Test func `a class keeps a teacher, and its limits`() async throws {
        try await withSchool { school in
            let made = try await school.madeClass()
            #expect(try await school.unseat(.tom, "teacher", in: made) == 409)
            #expect(try await school.unseat(.sam, "student", in: made) == 404)
            let limits: JSONValue = ["classSizeLimits": ["students": 1, "teachers": 2]]
            #expect(
                try await school.patch("/v1/organization", as: .ada, json: limits).status == 200)
            #expect(try await school.seat(.sam, "student", in: made) == 204)
            #expect(try await school.seat(.sue, "student", in: made) == 409)
            #expect(try await school.unseat(.sam, "student", in: made) == 204)
            #expect(try await school.seat(.sue, "student", in: made) == 204)
            #expect(try await school.seat(.cora, "teacher", in: made) == 204)
            #expect(try await school.unseat(.tom, "teacher", in: made) == 204)
            #expect(try await school.seat(.sam, "student", in: made) == 404, "Tom left")
        }
    }

    @Test(arguments: ["privilege", "location", "role", "seat", "person"])
    func `the right ends at once`(cause: String) async throws {
        try await withSchool { school in
            let made = try await school.madeClass()
            #expect(try await school.seat(.cora, "teacher", in: made) == 204)
            #expect(try await school.seat(.sam, "student", in: made) == 204)
            let tom = school.id(.tom)
            switch cause {
            case "privilege": try await school.grant("makeClasses", false)
            case "location": try await school.grant("makeClasses", false, isAtLocation: true)
            case "role":
                try school.sql("delete from school.person_role where person_id = \(tom)")
            case "seat":
                #expect(try await school.unseat(.tom, "teacher", in: made, as: .cora) == 204)
            default:
                let path = "/v1/people/\(tom.uuid)/deactivation"
                #expect(try await school.post(path, as: .ada).status == 200)
            }
            // Without any role, or deactivated, a token is no longer valid.
            let refused: Set<Int> =
                switch cause {
                case "person", "role": [401, 403]
                case "seat": [404]
                default: [403]
                }
            #expect(try await refused.contains(school.seat(.sue, "student", in: made)))
            #expect(try await refused.contains(school.unseat(.sam, "student", in: made)))
            #expect(try await refused.contains(school.candidates("ben", in: made).status))
            #expect(try school.roster("student", of: made) == ["Sam"])
        }
    }

    @Test func `a privilege that is withdrawn while a roster is written ends it`() async throws {
        try await withSchool { school in
            let made = try await school.madeClass()
            let administrator = try BlockingConnection(school.ownerURL)
            try administrator.query("begin")
            try administrator.query(
                "select set_config('school.organization', \(school.hillside.uuid.description), true)"
            )
            try administrator.query("update school.privilege set is_granted = false")
            async let late = school.seat(.sam, "student", in: made)
            try await school.untilSomethingWaits()
            try administrator.query("commit")
            let status = try await late
            #expect(status == 403)
            #expect(try school.roster("student", of: made).isEmpty)
        }
    }
}
