import Cluster
import Files
import Metrics
import Postgres

/// Whether the backup of the private PostgreSQL is as it should be; nothing for a database that has none.
final class BackupFigures: Sendable {
    private let folder: String
    /// Seconds since 1970; 0 if there is none.
    private let newest = Gauge()
    private let isFailing = Gauge()

    /// - Parameter folder: the data folder.
    init(folder: String) {
        self.folder = folder
    }

    /// Takes the figures down; the note of the last backup is a few bytes.
    func ask(_ session: Session) async throws {
        let note = try? File.contents(of: Cluster.backupNote(in: folder), limit: 64)
        newest.set(note.flatMap { Int(String(decoding: $0, as: UTF8.self)) } ?? 0)
        guard newest.value > 0 else { return }
        let rows = try await session.query(.archiver)
        isFailing.set(try rows[0].bool("is_failing") ? 1 : 0)
    }

    func export(to metrics: inout Exposition) {
        guard newest.value > 0 else { return }
        metrics.gauge(
            "homeroom_backup_newest_success_timestamp_seconds",
            "When a backup of the private PostgreSQL was last taken and verified.",
            Double(newest.value))
        metrics.gauge(
            "homeroom_backup_wal_failing",
            "Whether WAL cannot be archived (1), as when the folder of the backup is full or away.",
            isFailing.value)
    }
}
