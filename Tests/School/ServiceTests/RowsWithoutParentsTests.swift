import Postgres
import Records
import TestKit
import Testing

@testable import Server

/// Rows whose parents were removed past the foreign keys.
@Suite struct RowsLeftBehind {
    @Test func `rows below removed ones are found for each foreign key, and nothing else`()
        async throws
    {
        try await withSchool { school in
            #expect(try school.diagnosis().findings.isEmpty)
            let total = try school.sql(
                "select count(*) as total from school.seat where class_id = \(school.biology)")[0]
                .int("total")
            #expect(total > 1)
            try school.sql("set session_replication_role = replica")
            try school.sql("delete from school.class where class_id = \(school.biology)")
            try school.sql("set session_replication_role = origin")
            let findings = try school.diagnosis().findings
            #expect(findings.allSatisfy { $0.code == "rows_without_parents" })
            #expect(
                findings.map(\.text).contains(
                    "\(total) rows of seat refer to rows of class that are gone (seat_class)."))
            #expect(findings.allSatisfy { $0.text.contains(" of class that are gone") })
        }
    }

    @Test func `what takes too long is left out, by name, and hides nothing else`() async throws {
        try await withSchool { school in
            let holder = try BlockingConnection(school.ownerURL)
            try holder.execute("begin")
            try holder.execute("lock table school.seat in access exclusive mode")
            let finding = try #require(try school.diagnosis(patience: "2s").findings.last)
            try holder.execute("rollback")
            #expect(finding.code == "rows_not_checked")
            #expect(finding.severity.rawValue == "info")
            #expect(finding.text.contains("seat_class") && finding.text.contains("seat_person"))
        }
    }

    @Test func `every foreign key is read, and the server's login may ask`() async throws {
        try await withSchool { school in
            let keys = try BlockingConnection(school.ownerURL + " user=school_server").query(
                "select name, child, parent from school.foreign_keys()")
            let total = try school.sql(
                """
                select count(*) as total from pg_constraint
                 where contype = 'f' and connamespace = 'school'::regnamespace and conparentid = 0
                """)[0].int("total")
            #expect(keys.count == total && total > 80)
        }
    }
}

extension TestSchool {
    fileprivate func diagnosis(patience: String = "20s") throws -> Diagnosis {
        var diagnosis = Diagnosis()
        let server = try BlockingConnection(ownerURL + " user=school_server")
        try RowsWithoutParents(server, patience: patience).look(&diagnosis)
        return diagnosis
    }
}
