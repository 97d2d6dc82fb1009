import Cluster
import Files
import Metrics

/// Whether the private PostgreSQL is backed up, and when it last was.
enum BackupFigures {
    /// Whether WAL is archived is among the figures of the deployment.
    /// - Parameter cluster: `nil` with an external database, whose backups are not Homeroom's.
    static func export(of cluster: Cluster?, to metrics: inout Exposition) {
        guard let cluster else { return }
        metrics.gauge(
            "homeroom_backup_set_up",
            "Whether homeroom backup was set up for the private PostgreSQL.",
            cluster.backupPlan == nil ? 0 : 1)
        // A backup leaves a note of a few bytes in the data folder.
        guard let note = try? File.contents(of: Cluster.backupNote(in: cluster.folder), limit: 64),
            let seconds = Int(String(decoding: note, as: UTF8.self))
        else { return }
        metrics.gauge(
            "homeroom_backup_newest_success_timestamp_seconds",
            "When a backup of the private PostgreSQL was last taken and verified.", seconds)
    }
}
