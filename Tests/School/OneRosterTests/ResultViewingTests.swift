import Crypto
import HTTPWire
import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

/// Systems that read what came of students' work are seen doing so.
@Suite struct ResultViewingTests {
    private static let results: [JSONValue] = [
        ["locationId": "source:main", "readsResults": true]
    ]

    /// Attempts of Sam and Sue at a handout in Biology.
    private func handOut(_ school: TestSchool) async throws -> GivenHandout {
        let handout = try school.newHandout()
        let score: JSONValue = [
            "kind": "score", "identifier": "result", "title": "Score", "score": 7, "maxScore": 10,
        ]
        for app in [Persona.samsApp, .suesApp] {
            try await school.upload([school.attempt(primary: score)], as: app)
        }
        return handout
    }

    @Test func `pages with several students are one viewing of the class and day`() async throws {
        try await withSchool { school in
            let handout = try await handOut(school)
            let grader = try await Grader(school, grants: Self.results)
            for path in [
                "results", "classes/class-Biology/results",
                "classes/class-Biology/lineItems/\(handout.task.uuid)/results",
            ] { #expect(try await grader.ids(path).count == 2) }
            let looked = try school.whoLooked()
            #expect(looked == ["Grader Biology class 1"])
            #expect(try await grader.ids("lineItems").count == 1)
            #expect(try school.whoLooked() == looked)
        }
    }

    @Test func `a page or an object of one student is a viewing of that student`() async throws {
        try await withSchool { school in
            let handout = try await handOut(school)
            let grader = try await Grader(school, grants: Self.results)
            let sue = "\(handout.task.uuid)_\(school.id(.sue).uuid)"
            #expect(try await grader.get("results/\(sue)").status == 200)
            #expect(try school.whoLooked() == ["Grader Biology Sue 1"])
            let path = "classes/class-Biology/students/sis-sam/results"
            #expect(try await grader.ids(path).count == 1)
            #expect(
                try school.whoLooked() == ["Grader Biology Sam 1", "Grader Biology Sue 1"])
            #expect(try await grader.ids("results?limit=1").count == 1)
            #expect(try await grader.ids("results?limit=1&offset=1").count == 1)
            #expect(
                try school.whoLooked() == ["Grader Biology Sam 1", "Grader Biology Sue 1"])
        }
    }

    @Test func `a page without rows that says how many there are is a viewing of those`()
        async throws
    {
        try await withSchool { school in
            _ = try await handOut(school)
            let grader = try await Grader(school, grants: Self.results)
            let query = "results?offset=9&filter=score%3E'50'%20AND%20student.sourcedId%3D'sis-sam'"
            let answer = try await grader.get(query)
            #expect(answer.status == 200 && answer.header("X-Total-Count") == "1")
            #expect(answer.json["results"]?.array?.isEmpty == true)
            #expect(try school.whoLooked() == ["Grader Biology Sam 1"])
            #expect(try await grader.ids("results?offset=9").isEmpty)
            #expect(
                try school.whoLooked() == ["Grader Biology Sam 1", "Grader Biology class 1"])
        }
    }

    @Test func `a page that holds only some of what a filter wants is a viewing of all`()
        async throws
    {
        try await withSchool { school in
            _ = try await handOut(school)
            let grader = try await Grader(school, grants: Self.results)
            _ = try await grader.putItem("quiz")
            #expect(try await grader.putResult("sams").status == 201)
            let own = "results?limit=1&orderBy=desc&filter=sourcedId%3D'sams'"
            #expect(try await grader.ids(own) == ["sams"])
            #expect(try school.whoLooked().isEmpty)
            let more = try await grader.get("\(own)%20OR%20student.sourcedId%3D'sis-sue'")
            #expect(more.json["results"]?.array?.map { $0["sourcedId"] } == ["sams"])
            #expect(more.header("X-Total-Count") == "2")
            #expect(try school.whoLooked() == ["Grader Biology Sue 1"])
            let nested = "classes/class-Biology/students/sis-sam/results?limit=1&orderBy=desc"
            #expect(try await grader.ids(nested) == ["sams"])
            #expect(
                try school.whoLooked() == ["Grader Biology Sam 1", "Grader Biology Sue 1"])
        }
    }

    @Test func `what a system wrote itself is no news to it, and is to others`() async throws {
        try await withSchool { school in
            let grader = try await Grader(school, grants: Self.results)
            _ = try await grader.putItem("quiz")
            #expect(try await grader.putResult("sams").status == 201)
            #expect(try await grader.ids("results") == ["sams"])
            #expect(try await grader.get("results/sams").status == 200)
            #expect(try school.whoLooked().isEmpty)
            let other = try await Grader(school, "Library", grants: Self.results)
            #expect(try await other.ids("results").count == 1)
            #expect(try school.whoLooked() == ["Library Biology Sam 1"])
            let blind = try await Grader(school, "Blind")
            #expect(try await blind.ids("results").isEmpty)
            #expect(try school.whoLooked() == ["Library Biology Sam 1"])
        }
    }

    @Test func `what was removed says nothing about anyone`() async throws {
        try await withSchool { school in
            let grader = try await Grader(school)
            _ = try await grader.putItem("quiz")
            _ = try await grader.putResult("sams")
            #expect(try await grader.send("DELETE", "results/sams").status == 204)
            let other = try await Grader(school, "Library", grants: Self.results)
            #expect(try await other.ids("results?filter=status%3D'tobedeleted'").count == 1)
            #expect(try school.whoLooked().isEmpty)
        }
    }

    @Test func `administrators, students and archives name the system`() async throws {
        try await withSchool { school in
            _ = try await handOut(school)
            let grader = try await Grader(school, "Library", grants: Self.results)
            #expect(try await grader.ids("results").count == 2)
            _ = try await school.get("/v1/classes/\(school.biology.uuid)/report", as: .tom)
            let all = try await school.get("/v1/viewings?systemId=\(grader.id)", as: .ada)
            #expect(all.items.map { $0["system"]?["name"]?.text } == ["Library"])
            #expect(all.items[0]["system"]?["id"]?.text == grader.id)
            #expect(all.items[0]["reader"] == .null && all.items[0]["workOf"] == "class")
            #expect(try await school.get("/v1/viewings", as: .ada).items.count == 2)
            for student in [Persona.sam, .sue] {
                let own = try await school.get("/v1/me/viewings", as: student)
                #expect(Set(own.items.map { $0["system"]?["name"]?.text }) == ["Library", nil])
            }
            #expect(try await school.get("/v1/me/viewings", as: .ben).items.isEmpty)
            let seen = try school.sql(
                """
                select count(*) filter (where r.content ->> 'system' = 'Library') as systems,
                       count(*) filter (where r.content ->> 'reader' = 'Tom Example') as people
                  from school.personal_rows(\(school.id(.sam))) as r where r.table_name = 'viewing'
                """, as: school.caller(.ada))
            #expect(try seen[0].int("systems") == 1 && seen[0].int("people") == 1)
        }
    }

    @Test func `no account notes what another reads, or a class that there is not`() async throws {
        try await withSchool { school in
            _ = try await handOut(school)
            let grader = try await Grader(school)
            let caller = Caller(
                organizationID: school.hillside, personID: nil,
                serviceAccountID: UUID(grader.id).map { ServiceAccountID($0) },
                standings: [.rosterReader])
            for group in [school.biology.uuid, UUID.v7()] {
                try school.sql(
                    "select school.note_viewing(null, \(group), null, null, null, now())",
                    as: caller)
            }
            #expect(try school.whoLooked() == ["Grader Biology class 1"])
            try school.sql(
                "select school.note_viewing(null, \(school.biology), null, null, null, now())",
                as: school.caller(.rosterReader))
            #expect(try school.whoLooked() == ["Grader Biology class 1"])
        }
    }
}
