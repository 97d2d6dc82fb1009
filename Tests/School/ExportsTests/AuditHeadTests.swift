import Exports
import Foundation
import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

/// Exports carry the end of the audit trail off the machine, so that its removal is detected.
@Suite struct HeadsOfAuditTrails {
    private func leaveEvents(_ school: TestSchool) throws {
        try school.sql(
            """
            select school.write_audit_event(\(school.hillside), 'denial', 'teacher', null, null, null, null, null, null)
              from generate_series(1, 3)
            """)
        try school.sql("select school.seal_audit_events(\(school.hillside))")
    }

    private func manifest(_ folder: String) throws -> JSONValue {
        let data = try Data(contentsOf: URL(filePath: "\(folder)/manifest.json"))
        return try JSONValue(parsing: Array(data))
    }

    /// Removes the last seal with its events, and the events that wait for one.
    private func cut(_ school: TestSchool) throws {
        try school.sql(
            """
            delete from school.audit_event where event_id = any (
                select unnest(event_ids) from school.audit_seal where number = 2)
                or event_id in (select event_id from school.audit_unsealed)
            """)
        try school.sql("delete from school.audit_unsealed")
        try school.sql("delete from school.audit_seal where number = 2")
    }

    private func wishes(_ root: String, _ day: String) -> NightlyExport.Wishes {
        var wishes = NightlyExport.Wishes(root: root)
        wishes.day = Day(day)
        return wishes
    }

    @Test(arguments: [true, false])
    func `a trail that has lost its end since the last export is noticed`(knowsOwn: Bool)
        async throws
    {
        try await withSchool { school in
            try await withFolder { root in
                let first = try school.export(root, "2026-03-01")
                #expect(try manifest(first)["auditHead"] == .null)
                try leaveEvents(school)
                try school.export(root, "2026-03-02")
                try leaveEvents(school)
                let third = try school.export(root, "2026-03-03")
                let head = try manifest(third)["auditHead"]
                #expect(head?["number"] == 2)
                #expect(head?["organizationId"]?.text == school.hillside.uuid.description)
                #expect(head?["digest"]?.text?.count == 64)

                try cut(school)
                let rows = try school.sql(
                    "select from school.broken_audit_events(\(school.hillside))")
                #expect(rows.count == 0, "the chain itself shows nothing")
                // The database's own record may be edited, too: then the manifest beside it reveals that.
                if !knowsOwn {
                    try school.sql("update school.export_snapshot set seal_number = null")
                }
                let elsewhere = knowsOwn ? "\(root)/elsewhere" : root
                let error = #expect(throws: ExportError.self) {
                    _ = try school.outcome(wishes(elsewhere, "2026-03-04"))
                }
                let seal = "\(school.hillside.uuid):2:\(head?["digest"]?.text ?? "")"
                #expect(error?.description.contains(seal) == true)
                let left = "\(elsewhere)/\(school.hillside.uuid)/2026-03-04"
                #expect(!FileManager.default.fileExists(atPath: left))

                var accepting = wishes(root, "2026-03-05")
                accepting.acceptsAuditTrail = true
                _ = try school.outcome(accepting)
                try school.export(root, "2026-03-06")
            }
        }
    }
}
