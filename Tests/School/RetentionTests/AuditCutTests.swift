import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

/// The audit trail stays provable when its oldest events go.
@Suite struct AuditCuts {
    /// Five old seals with two events each, and a new one.
    private func seals(_ school: TestSchool) throws {
        try school.sql("delete from school.audit_unsealed")
        try school.sql("delete from school.audit_event")
        for number in 1...10 {
            try school.sql(
                """
                select school.write_audit_event(\(school.hillside), 'denial', 'teacher', \(school.id(.tom)),
                                                null, '192.0.2.7', 'test', \("\(number)"), '{}')
                """)
        }
        for table in ["audit_event", "audit_unsealed"] as [Statement] {
            try school.sql(
                """
                update school.\(fragment: table) set arrived_at = arrived_at - interval '400 days'
                """)
        }
        for _ in 1...5 { try seal(school, limit: 2) }
        try school.sql(
            """
            select school.write_audit_event(\(school.hillside), 'denial', 'teacher', \(school.id(.tess)),
                                            null, null, 'test', 'new', '{}')
            """)
        try seal(school)
    }

    private func seal(_ school: TestSchool, limit: Int = 1000) throws {
        let connection = try BlockingConnection(school.ownerURL)
        try connection.query(
            "select school.seal_audit_events(\(school.hillside), \(limit)::integer)",
            as: Identity(role: "school_server"))
    }

    private func findings(_ school: TestSchool) throws -> [String] {
        try school.sql(
            """
            select concat_ws(' ', finding, number) as said from school.broken_audit_seals(\(school.hillside))
            union all
            select concat_ws(' ', finding, number) from school.broken_audit_events(\(school.hillside))
            """
        ).map { try $0.text("said") }
    }

    private func numbers(_ school: TestSchool) throws -> [Int] {
        try school.sql(
            """
            select number from school.audit_seal where organization_id = \(school.hillside)
             order by number
            """
        ).map { try $0.int("number") }
    }

    private func cut(_ school: TestSchool, limit: Int = 1000) async throws {
        try await school.setRules(["kind": "auditEvents", "years": 1])
        try school.waitForRules()
        try school.letNightPass(limit: limit)
    }

    @Test func `old events go, the last seal of them stays, and the chain holds`() async throws {
        try await withSchool { school in
            try seals(school)
            #expect(try findings(school).isEmpty)
            try await cut(school, limit: 4)
            #expect(try numbers(school) == [5, 6])
            let left = try school.sql(
                "select subject_id from school.audit_event where kind = 'denial'")
            #expect(try left.map { try $0.text("subject_id") } == ["new"])
            #expect(try findings(school).isEmpty)
            try seal(school)
            #expect(try findings(school).isEmpty)
            let checks = try school.sql(
                """
                select code, count from school.run_checks(\(school.hillside), null)
                 where code like 'audit%' order by code
                """)
            #expect(try checks.map { try $0.int("count") } == [0, 0])
            let cuts = try school.details("retention").filter { $0["sealNumber"] != nil }
            #expect(cuts.compactMap { $0["auditEvents"] } == [4, 4, 2])
        }
    }

    @Test func `a seal that was noted elsewhere is found, or known to be removed`() async throws {
        try await withSchool { school in
            try seals(school)
            let noted = try school.sql(
                "select number, encode(digest, 'hex') as digest from school.audit_seal order by number"
            )
            try await cut(school)
            let outcomes = try noted.map { row in
                try school.sql(
                    """
                    select school.noted_seal_outcome(\(school.hillside), \(Int64(row.int("number"))),
                                                     \(row.text("digest"))) as said
                    """)[0].text("said")
            }
            #expect(
                outcomes == ["removed", "removed", "removed", "removed", "found", "found"])
        }
    }

    @Test func `what someone else removes or changes is still found`() async throws {
        try await withSchool { school in
            try seals(school)
            try await cut(school)
            try seal(school)
            let tampering: [(Statement, Set<String>)] = [
                ("delete from school.audit_event where subject_id = 'new'", ["eventRemoved 6"]),
                (
                    "update school.audit_seal set previous_digest = sha256('') where number = 6",
                    ["sealChanged 6", "sealForeign 6"]
                ),
                (
                    "delete from school.audit_seal where number = 5",
                    ["cutUnexplained 5", "sealMissing 5"]
                ),
                ("delete from school.audit_cut", ["sealMissing"]),
                ("update school.audit_cut set number = 6", ["cutUnexplained 6"]),
                (
                    "delete from school.audit_event where kind = 'retention'",
                    ["cutUnexplained 5", "eventRemoved 7"]
                ),
            ]
            for (statement, expected) in tampering {
                let connection = try BlockingConnection(school.ownerURL)
                try connection.execute("begin")
                try connection.query(statement)
                let rows = try connection.query(
                    """
                    select concat_ws(' ', finding, number) as said
                      from school.broken_audit_seals(\(school.hillside))
                    union select concat_ws(' ', finding, number)
                      from school.broken_audit_events(\(school.hillside))
                    """)
                let found = try Set(rows.map { try $0.text("said") })
                let isFound = expected.allSatisfy { said in found.contains { $0.hasPrefix(said) } }
                #expect(isFound, "\(expected) is not in \(found)")
                try connection.execute("rollback")
            }
        }
    }

    @Test func `the cut stops before the first event about someone who is held`() async throws {
        try await withSchool { school in
            try seals(school)
            _ = try await school.hold("person", school.id(.tom).uuid)
            try await cut(school)
            #expect(try numbers(school) == [1, 2, 3, 4, 5, 6])
            try school.sql("delete from school.retention_hold")
            try school.letNightPass()
            #expect(try numbers(school) == [5, 6])
        }
    }

    @Test func `a receipt of an erasure outlives its event`() async throws {
        try await withSchool { school in
            let path = "/v1/people/\(school.id(.ben).uuid)/erasure"
            let receipt = try await school.post(path, as: .ada)
            #expect(receipt.status == 200)
            try school.sql("delete from school.audit_event where kind = 'erasure'")
            let again = try await school.post(path, as: .ada)
            #expect(again.status == 200)
            #expect(again.json["erasedAt"] == receipt.json["erasedAt"])
            #expect(again.json["counts"]?.object?.members.isEmpty == true)
        }
    }
}
