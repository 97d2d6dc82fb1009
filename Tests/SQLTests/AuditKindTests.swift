import Postgres
import School
import TestKit
import Testing

/// Which events a standing can write of itself.
@Suite struct KindsOfEvents {
    @Test func `a standing writes the kinds that are its own, and no other`() async throws {
        try await withPopulatedSchool { populated in
            let rows = try populated.school.sql("select kind, standings from school.audit_kinds()")
            for standing in Standing.allCases {
                for row in rows {
                    let kind = try row.text("kind")
                    let outcome = try populated.attempt(
                        "select school.audit(\(kind), 'test', 'test', '{}')",
                        as: populated.caller(standing))
                    let isOwn = try row.textArray("standings").contains(standing.rawValue)
                    #expect(outcome == (isOwn ? .done : .refused), "\(standing): \(kind)")
                }
            }
        }
    }

    @Test(arguments: [
        (Standing.teacher, ["denial", "passwordChange", "signInFailure", "temporaryPassword"]),
        (.student, ["denial", "passwordChange", "signInFailure"]),
        (.app, ["denial", "passwordChange", "signInFailure"]),
        (.exporter, ["denial", "export"]), (.developer, ["denial", "developmentChange"]),
        (
            .provisioner,
            [
                "denial", "import", "personChange", "removal", "roleChange", "rosterChange",
                "temporaryPassword", "termClosing", "termReopening",
            ]
        ),
    ])
    func `what a standing may write is written down twice`(
        standing: Standing, kinds: [String]
    ) async throws {
        try await withPopulatedSchool { populated in
            let found = try populated.labels(
                """
                select kind as label from school.audit_kinds() where \(standing.rawValue) = any (standings)
                """)
            #expect(found == Set(kinds))
        }
    }

    @Test func `every kind that a table takes is in the list, and none else`() async throws {
        try await withPopulatedSchool { populated in
            let listed = try populated.labels("select kind as label from school.audit_kinds()")
            let taken = try populated.labels(
                """
                select m.words[1] as label
                  from pg_constraint as c
                 cross join lateral regexp_matches(pg_get_constraintdef(c.oid), '''([A-Za-z]+)''', 'g') as m (words)
                 where c.conrelid = 'school.audit_event'::regclass and c.conname = 'audit_event_kind'
                """)
            #expect(listed == taken)
        }
    }
}
