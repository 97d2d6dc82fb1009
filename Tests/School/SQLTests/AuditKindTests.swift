import JSONBytes
import Postgres
import School
import TestKit
import Testing

/// Which events a standing can write on its own.
@Suite struct KindsOfEvents {
    @Test func `a standing writes its own kinds, and no other`() async throws {
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
        (
            Standing.teacher,
            [
                "badgeChange", "denial", "passwordChange", "signInFailure", "signOut",
                "temporaryPassword",
            ]
        ),
        (.student, ["denial", "passwordChange", "signInFailure", "signOut"]),
        (.app, ["denial", "passwordChange", "signInFailure"]),
        (.exporter, ["denial", "export"]), (.rosterReader, ["denial"]), (.tool, ["denial"]),
        (
            .directoryWriter,
            ["denial", "personChange", "removal", "roleChange", "rosterChange"]
        ),
        (.developer, ["denial", "developmentChange"]),
        (
            .provisioner,
            [
                "denial", "import", "personChange", "removal", "roleChange", "rosterChange",
                "temporaryPassword", "termClosing", "termReopening",
            ]
        ),
    ])
    func `the kinds a standing may write are recorded twice`(
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

    @Test func `the API document lists the same kinds`() async throws {
        try await withPopulatedSchool { populated in
            let listed = try populated.labels("select kind as label from school.audit_kinds()")
            let document = try await populated.school.get("/openapi.json", as: nil).json
            let schemas = document["components"]?["schemas"]
            let kind = schemas?["AuditEvent"]?["properties"]?["kind"]?["$ref"]?.text
            let component = try #require(kind?.split(separator: "/").last)
            let words = try #require(schemas?[String(component)]?["enum"]?.array)
            #expect(Set(words.compactMap(\.text)) == listed)
            #expect(words.count == listed.count)
        }
    }

    @Test func `nobody writes an event of an unlisted kind`() async throws {
        try await withPopulatedSchool { populated in
            func write(_ kind: String) throws {
                try populated.school.sql(
                    """
                    select school.write_audit_event(\(populated.school.hillside), \(kind), 'server', null, null, null,
                                                    null, null, '{}')
                    """)
            }
            try write("denial")
            let refusal = #expect(throws: PostgresError.self) { try write("denials") }
            #expect(refusal?.sqlState == "23514")
        }
    }
}
