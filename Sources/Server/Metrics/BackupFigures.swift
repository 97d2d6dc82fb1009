import Cluster
import Files
import Metrics

/// When the private PostgreSQL was last backed up.
enum BackupFigures {
    /// Exports it where there is a backup; whether WAL is archived is among the figures of the deployment.
    /// - Parameter folder: the data folder, in which a backup leaves a note of a few bytes.
    static func export(from folder: String, to metrics: inout Exposition) {
        guard let note = try? File.contents(of: Cluster.backupNote(in: folder), limit: 64),
            let seconds = Int(String(decoding: note, as: UTF8.self))
        else { return }
        metrics.gauge(
            "homeroom_backup_newest_success_timestamp_seconds",
            "When a backup of the private PostgreSQL was last taken and verified.", seconds)
    }
}
