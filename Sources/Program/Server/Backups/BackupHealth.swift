import Cluster
import JSONBytes
import Postgres
import Records
import School
import Values

/// What the doctor says about the backup of the private PostgreSQL.
struct BackupHealth {
    /// A nightly backup that does not exist by noon counts as missing.
    private static let staleMilliseconds: Int64 = 36 * 3_600_000

    private let cluster: Cluster

    init(of cluster: Cluster) {
        self.cluster = cluster
    }

    func look(at connection: BlockingConnection, _ diagnosis: inout Diagnosis) throws {
        guard let plan = cluster.backupPlan else {
            diagnosis.note(
                "backup", "There is no backup of this database.",
                advice: "Run homeroom backup DIR every night, with DIR on another disk.",
                severity: .warning)
            return
        }
        diagnosis.note(
            "backup", staleness(of: plan),
            advice: "Run homeroom backup \(plan.folder), and look at what it says.")
        let pages = try connection.query(.wrongChecksums)[0]
        let failures = try pages.int("failures")
        let seen = try pages.optionalTimestamp("last_failure")
        diagnosis.note(
            "damaged_pages",
            failures == 0
                ? nil
                : "PostgreSQL read pages with wrong checksums \(failures) times, last at \(seen.map { "\($0)" } ?? "?").",
            advice: "deploy/guides/backups.md says what to do when the database is damaged.")
        let archiver = try connection.query(.archiver)[0]
        let last = try archiver.optionalTimestamp("last_archived_time")
        diagnosis.note(
            "backup_archiving",
            try archiver.bool("is_failing")
                ? "WAL could not be archived since \(last?.description ?? "the beginning")." : nil,
            advice: """
                See whether the disk of \(plan.folder) is there and has space; postgresql.log in the data folder \
                says why.
                """)
    }

    /// What is wrong with the newest backup; `nil` if nothing is.
    private func staleness(of plan: BackupPlan) -> String? {
        do {
            let listing = try BackupListing(cluster.listBackups(plan), in: plan.folder)
            guard let newest = listing.newest else {
                return "There is no backup in \(plan.folder)."
            }
            if newest.isDamaged {
                return "The newest backup in \(plan.folder) holds damaged pages of the database."
            }
            let age = Clock.system.now.milliseconds - newest.ended.milliseconds
            guard age > Self.staleMilliseconds else { return nil }
            return "The newest backup in \(plan.folder) is of \(newest.ended)."
        } catch {
            return "\(error)"
        }
    }
}

extension Statement {
    /// How many pages did not have their checksums when PostgreSQL read them, since its statistics began.
    fileprivate static var wrongChecksums: Statement {
        """
        select coalesce(sum(checksum_failures), 0)::bigint as failures, max(checksum_last_failure) as last_failure
          from pg_stat_database
        """
    }

    /// Whether the last attempt to archive WAL failed, and when one succeeded.
    static var archiver: Statement {
        """
        select coalesce(last_failed_time > coalesce(last_archived_time, '-infinity'), false) as is_failing,
               last_archived_time
          from pg_stat_archiver
        """
    }
}
