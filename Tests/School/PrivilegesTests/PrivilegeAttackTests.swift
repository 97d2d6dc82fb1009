import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

/// What a teacher with every privilege still does not see.
@Suite struct PrivilegeAttacks {
    @Test func `a class of one's own shows nothing of a student's other classes`() async throws {
        try await withSchool { school in
            let handout = try school.newHandout(in: school.chemistry, by: .tess)
            try await school.upload(
                [
                    school.attempt(primary: [
                        "kind": "score", "identifier": "t", "title": "T", "score": 1, "maxScore": 2,
                    ])
                ],
                as: .bensApp)
            #expect(try school.storedCount(of: .ben) == 1)
            let tess = try await school.get("/v1/handouts/\(handout.id.uuid)/report", as: .tess)
            #expect(tess.json["tasks"]?[0]?["students"]?[0]?["attempts"]?.int64 == 1)

            let made = try await school.madeClass()
            #expect(try await school.seat(.ben, "student", in: made) == 204)
            #expect(try await school.seat(.tess, "teacher", in: made) == 204)
            let paths = [
                "/v1/handouts/\(handout.id.uuid)", "/v1/handouts/\(handout.id.uuid)/report",
                "/v1/handouts/\(handout.id.uuid)/students/\(school.id(.ben).uuid)",
                "/v1/classes/\(school.chemistry.uuid)",
                "/v1/classes/\(school.chemistry.uuid)/students/\(school.id(.ben).uuid)/report",
            ]
            for path in paths {
                #expect(try await school.get(path, as: .tess).status == 200, "\(path)")
                #expect(try await school.get(path, as: .tom).status == 404, "\(path)")
            }
            // The same context in a class of his own: what Ben did before stays Tess's.
            let own = try school.newHandout(in: ClassID(try #require(UUID(made))))
            let report = try await school.get("/v1/handouts/\(own.id.uuid)/report", as: .tom)
            #expect(report.json["tasks"]?[0]?["students"]?[0]?["personId"] != nil)
            #expect(report.json["tasks"]?[0]?["students"]?[0]?["attempts"]?.int64 == 0)
        }
    }

    @Test func `a teacher does not write the events of a class`() async throws {
        try await withSchool { school in
            let made = try await school.madeClass()
            #expect(throws: PostgresError.self) {
                try school.sql(
                    "select school.audit('classChange', 'class', \(made), '{}')",
                    as: school.caller(.tom))
            }
            #expect(throws: PostgresError.self) {
                try school.sql(
                    "select school.audit_made_class('classChange', \(UUID(made)), '{}')",
                    as: school.caller(.tom))
            }
        }
    }

    @Test func `other standings of the same person make no classes`() async throws {
        try await withSchool { school in
            try await school.grant()
            for persona in [Persona.ada, .petra, .mara, .sam, .provisioner, .tomsApp] {
                let caller = school.caller(persona)
                #expect(throws: PostgresError.self, "\(persona)") {
                    try school.sql(
                        """
                        select school.make_class(gen_random_uuid(), \(school.mainLocation), null, 'Club', null, null)
                        """, as: caller)
                }
            }
        }
    }

    @Test func `an administrator reads who made and changed a class`() async throws {
        try await withSchool { school in
            let made = try await school.madeClass()
            _ = try await school.seat(.sam, "student", in: made)
            let events = try await school.get("/v1/audit-events?subjectId=\(made)", as: .ada)
            let kinds = events.items.compactMap { $0["kind"]?.text }
            #expect(kinds.filter { $0 == "rosterChange" }.count == 2)
            #expect(kinds.filter { $0 == "classChange" }.count == 1)
            #expect(
                events.items.allSatisfy {
                    $0["personId"]?.text == school.id(.tom).uuid.description
                        && $0["standing"] == "teacher"
                })
        }
    }
}
