import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

/// `GET /v1/me/classes`: for everybody who may have a seat.
@Suite struct OwnClasses {
    private func own(
        _ school: TestSchool, _ persona: Persona, _ query: String = ""
    ) async throws -> [JSONValue] {
        let answer = try await school.get("/v1/me/classes\(query)", as: persona)
        #expect(answer.status == 200, "\(persona)")
        return answer.items
    }

    @Test func `teachers and students find their own classes, and nobody those of others`()
        async throws
    {
        try await withSchool { school in
            let biology = school.biology.uuid.description
            let taught = try await own(school, .tom)
            #expect(taught.contains { $0["id"]?.text == biology && $0["role"] == "teacher" })
            let sat = try await own(school, .sam)
            #expect(sat.contains { $0["id"]?.text == biology && $0["role"] == "student" })
            #expect(!(try await own(school, .tess)).contains { $0["id"]?.text == biology })
            #expect(try await own(school, .ada).isEmpty, "she reads every class, and sits in none")
            #expect(try await own(school, .olga).isEmpty)
        }
    }

    @Test func `a class is no longer listed once the seat has ended`() async throws {
        try await withSchool { school in
            let seat = "/v1/classes/\(school.biology.uuid)/students/\(school.id(.sam).uuid)"
            let before = try await own(school, .sam)
            #expect(try await school.delete(seat, as: .ada).status == 204)
            let biology = school.biology.uuid.description
            let left = before.filter { $0["id"]?.text != biology }
            #expect(left.count == before.count - 1)
            #expect(try await own(school, .sam) == left)
        }
    }

    @Test func `pages hold each class once`() async throws {
        try await withSchool { school in
            try school.sql(
                """
                with made as (
                    insert into school.class (organization_id, class_id, location_id, name)
                    select c.organization_id, school.new_id(), c.location_id, 'Group ' || n
                      from school.class as c, generate_series(1, 5) as n
                     where c.class_id = \(school.biology)
                    returning organization_id, class_id)
                insert into school.seat (organization_id, class_id, person_id, role, joined_at)
                select organization_id, class_id, \(school.id(.sam)), 'student', school.moment() - interval '1 hour'
                  from made
                """)
            let all = try await own(school, .sam)
            #expect(all.count > 5)
            var read: [JSONValue] = []
            var token = ""
            repeat {
                let page = try await school.get("/v1/me/classes?limit=2\(token)", as: .sam)
                #expect(page.items.count <= 2)
                read += page.items
                token = page.json["nextPageToken"]?.text.map { "&pageToken=\($0)" } ?? ""
            } while !token.isEmpty
            #expect(read == all)
            #expect(try await own(school, .sam, "?status=active") == all)
            #expect(try await own(school, .sam, "?status=archived").isEmpty)
        }
    }
}
