import HTTPWire
import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

@Suite struct Erasure {
    @Test(arguments: [Persona.sam, .tom])
    func `nothing is left but an id in the audit trail and the notices that the person is gone`(
        persona: Persona
    ) async throws {
        try await withSchool { school in
            try await school.liveALittle()
            let id = school.id(persona).uuid.description
            #expect(try school.occurrences(of: id).count > 8)
            let answer = try await school.post(school.path(persona, "erasure"), as: .ada)
            #expect(answer.status == 200, "\(answer.text)")
            #expect(
                Set(try school.occurrences(of: id).keys) == ["audit_event", "change", "deletion"])
            let noted = try school.sql(
                "select what from school.change where subject_id = \(school.id(persona))")
            #expect(try noted.map { try $0.text("what") } == ["removed"])
            #expect(try school.occurrences(of: persona.managedID).isEmpty)
            #expect(try school.occurrences(of: "sis-\(persona.rawValue)").isEmpty)
            #expect(try school.occurrences(of: ",\(persona.givenName),").isEmpty)
            let addresses = try school.sql(
                """
                select from school.audit_event
                 where person_id = \(school.id(persona)) and num_nonnulls(address, address_salt) > 0
                """)
            #expect(addresses.count == 0)
        }
    }

    @Test func `others keep what is theirs`() async throws {
        try await withSchool { school in
            try await school.liveALittle()
            let sue = school.id(.sue).uuid.description
            let before = try school.occurrences(of: sue)
            _ = try await school.post(school.path(.sam, "erasure"), as: .ada)
            #expect(try school.occurrences(of: sue) == before)
        }
    }

    @Test func `the receipt counts what was removed, and a repeated call returns the same`()
        async throws
    {
        try await withSchool { school in
            try await school.liveALittle()
            let first = try await school.post(school.path(.sam, "erasure"), as: .ada)
            let counts = first.json["counts"]
            #expect(counts?["person"] == 1 && counts?["activity"] == 1)
            #expect(counts?["access_token"] == 3 && counts?["session"] == 1)
            #expect(counts?["handout"] == 0)
            let second = try await school.post(school.path(.sam, "erasure"), as: .ada)
            #expect(second.status == 200)
            #expect(second.body == first.body)
            let events = try await school.get("/v1/audit-events?kind=erasure", as: .ada)
            #expect(events.items.count == 1)
            #expect(events.items[0]["details"]?["counts"] == counts)
        }
    }

    @Test func `a class keeps the handouts of an erased teacher, and drafts are removed`()
        async throws
    {
        try await withSchool { school in
            let given = try await school.liveALittle()
            _ = try await school.post(school.path(.tom, "erasure"), as: .ada)
            let handouts = try await school.get("/v1/handouts", as: .cora)
            #expect(handouts.items.map { $0["title"]?.text } == ["Cells"])
            #expect(handouts.items[0]["authorId"] == .null)
            #expect(
                try await school.get("/v1/handouts/\(given.id.uuid)", as: .sam).status == 200)
            let report = try await school.get("/v1/handouts/\(given.id.uuid)/report", as: .cora)
            #expect(report.status == 200)
            #expect(try school.sql("select from school.handout").count == 1)
        }
    }

    @Test func `the erased person's sessions end`() async throws {
        try await withSchool { school in
            #expect(try await school.get("/v1/me", as: .tom).status == 200)
            _ = try await school.post(school.path(.tom, "erasure"), as: .ada)
            let answer = try await school.get("/v1/me", as: .tom)
            #expect(answer.status == 401)
            let lists = try await school.get("/v1/people/\(school.id(.tom).uuid)", as: .ada)
            #expect(lists.status == 404)
        }
    }

    @Test func `the chain of the audit trail still holds`() async throws {
        try await withSchool { school in
            try await school.liveALittle()
            let seal: Statement = "select school.seal_audit_events(\(school.hillside))"
            try school.sql(seal)
            _ = try await school.post(school.path(.sam, "erasure"), as: .ada)
            try school.sql(seal)
            #expect(try school.sql("select from school.audit_seal").count == 2)
            let broken = try school.sql(
                """
                select finding from school.broken_audit_events(\(school.hillside))
                union all
                select finding from school.broken_audit_seals(\(school.hillside))
                """)
            #expect(broken.count == 0)
        }
    }

    @Test func `nobody erases themselves, and only one standing erases`() async throws {
        try await withSchool { school in
            let oneself = try await school.post(school.path(.ada, "erasure"), as: .ada)
            #expect(oneself.status == 409)
            #expect(oneself.code == "may_not_erase_oneself")
            for persona in [Persona.petra, .mara, .tom, .sam, .provisioner, .exporter, .samsApp] {
                let answer = try await school.post(school.path(.sue, "erasure"), as: persona)
                #expect(answer.status == 403, "\(persona)")
            }
            #expect(try await school.post(school.path(.sue, "erasure"), as: .olga).status == 404)
            #expect(try school.sql("select from school.person").count == Persona.people)
        }
    }

    @Test func `of two administrators who erase each other, one stays`() async throws {
        try await withSchool { school in
            try school.sql(
                """
                insert into school.person_role (organization_id, person_id, location_id, role)
                values (\(school.hillside), \(school.id(.petra)), \(school.mainLocation), 'administrator')
                """)
            async let one = school.post(school.path(.petra, "erasure"), as: .ada)
            async let other = school.post(school.path(.ada, "erasure"), as: .petra)
            let statuses = try await [one.status, other.status].sorted()
            #expect(statuses.first == 200)
            #expect([401, 409].contains(statuses.last))
            let left = try school.sql(
                """
                select from school.person_role
                 where organization_id = \(school.hillside) and role = 'administrator'
                """)
            #expect(left.count == 1)
        }
    }
}

extension Persona {
    /// How many people the cast has.
    static var people: Int { allCases.filter { $0.person == $0 }.count }
}
