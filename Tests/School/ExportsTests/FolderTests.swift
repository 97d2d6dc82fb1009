import AloneKit
import Exports
import Foundation
import Postgres
import School
import TestKit
import Testing
import Values

@Suite struct ExportFolders {
    @Test func `an existing date is left as it is, and a second run writes another folder`()
        async throws
    {
        try await withSchool { school in
            try await withFolder { root in
                let given = try school.give()
                let first = try school.export(root, "2026-03-02")
                let before = try content("manifest.json", in: first)
                try school.attempt(.sam, at: given, hour: 8)

                var wishes = NightlyExport.Wishes(root: root)
                wishes.day = Day("2026-03-02")
                guard case .alreadyThere(let path) = try school.outcome(wishes) else {
                    Issue.record("it was exported twice")
                    return
                }
                #expect(path == first)
                #expect(try content("manifest.json", in: first) == before)

                let again = try school.export(root, "2026-03-02", again: true)
                #expect(again == first + ".2")
                #expect(try rows("activity_reports", in: again).count == 1)
                #expect(try school.export(root, "2026-03-02", again: true) == first + ".3")
            }
        }
    }

    @Test func `the leftovers of a run that died are removed by the next`() async throws {
        try await withSchool { school in
            try await withFolder { root in
                let parent = "\(root)/\(school.hillside.uuid)"
                for name in [".2026-03-01.partial", ".2026-03-02.partial"] {
                    try FileManager.default.createDirectory(
                        atPath: "\(parent)/\(name)", withIntermediateDirectories: true)
                    try Data("half".utf8).write(
                        to: URL(filePath: "\(parent)/\(name)/handouts.csv.gz"))
                }
                try school.export(root, "2026-03-02")
                #expect(try fileNames(parent) == ["2026-03-02"])
            }
        }
    }

    @Test func `a failure leaves no folder and is not remembered`() async throws {
        try await withSchool { school in
            try await withFolder { root in
                try school.give()
                try school.sql("revoke select on school.deletion from school_exporter")
                #expect(throws: PostgresError.self) { try school.export(root, "2026-03-02") }
                #expect(try fileNames("\(root)/\(school.hillside.uuid)").isEmpty)
                #expect(try school.sql("select from school.export_snapshot").count == 0)

                try school.sql("grant select on school.deletion to school_exporter")
                let folder = try school.export(root, "2026-03-02")
                #expect(try rows("handouts", in: folder).count == 1)
            }
        }
    }

    @Test func `two runs of an organization exclude each other`() async throws {
        try await withSchool { school in
            try await withFolder { root in
                let lock: Statement = """
                    select pg_try_advisory_lock(hashtextextended(
                               \("export/\(school.hillside.uuid)"), 0)) as is_taken
                    """
                let other = try school.nightly()
                #expect(try other.query(lock)[0].bool("is_taken"))
                var wishes = NightlyExport.Wishes(root: root)
                wishes.lockSeconds = 0
                #expect {
                    try school.outcome(wishes)
                } throws: { error in
                    if case ExportError.running = error { true } else { false }
                }
                #expect(try fileNames(root).isEmpty)
            }
        }
    }

    @Test(.alone)
    func `a run waits for the lock of a killed one, which is released within a second`()
        async throws
    {
        try await withSchool { school in
            try await withFolder { root in
                let lock: Statement = """
                    select pg_try_advisory_lock(hashtextextended(
                               \("export/\(school.hillside.uuid)"), 0)) as is_taken
                    """
                let killed = try school.nightly()
                #expect(try killed.query(lock)[0].bool("is_taken"))
                let interval = try killed.query("show client_connection_check_interval")
                #expect(try interval[0].text("client_connection_check_interval") == "1s")
                let pid = try killed.query("select pg_backend_pid() as pid")[0].int("pid")
                let ending = Task.detached {
                    try await Task.sleep(for: .milliseconds(1500))
                    try school.sql("select pg_terminate_backend(\(pid)::integer)")
                }
                guard case .exported = try school.outcome(.init(root: root)) else {
                    Issue.record("nothing was exported")
                    return
                }
                try await ending.value
            }
        }
    }

    @Test func `the date is yesterday in the organization's time zone`() async throws {
        try await withSchool { school in
            try await withFolder { root in
                // Fourteen hours ahead of UTC.
                try school.sql("update school.organization set time_zone = 'Pacific/Kiritimati'")
                for (moment, yesterday) in [
                    ("2027-05-05T09:00:00Z", "2027-05-04"), ("2027-05-05T10:00:00Z", "2027-05-05"),
                ] {
                    try school.setMoment(to: #require(Timestamp(moment)))
                    guard case .exported(let path, _) = try school.outcome(.init(root: root)) else {
                        Issue.record("nothing was exported")
                        return
                    }
                    #expect(path.hasSuffix("/\(yesterday)"))
                }
            }
        }
    }
}
