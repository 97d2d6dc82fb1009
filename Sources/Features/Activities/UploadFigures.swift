import Metrics
import Postgres
import School
import Synchronization
import Values

/// Figures of the inbox, readable from any thread: what this process did, and what waits in the database.
final class UploadFigures: Sendable {
    /// How many uploads, and bytes, of one organization may wait. A server needs minutes to store as much, so the
    /// limits are reached only if storing makes no progress at all.
    private static let pendingMax = 50_000
    private static let bytesMax = 1 << 30

    let stored = Counter()
    /// How often storing an upload failed, permanently or not.
    let failed = Counter()
    private let isKnown = Gauge()
    private let pending = Gauge()
    private let keptAside = Gauge()
    /// In milliseconds.
    private let age = Gauge()
    private let crowded = Mutex<Set<OrganizationID>>([])

    /// Whether so much of an organization waits that no more is accepted.
    func isCrowded(_ organizationID: OrganizationID) -> Bool {
        crowded.withLock { !$0.isEmpty && $0.contains(organizationID) }
    }

    /// Records the state of the inbox.
    func take(_ backlog: Rows, now: Timestamp) throws {
        var (waiting, aside, oldest) = (0, 0, now.milliseconds)
        var full: Set<OrganizationID> = []
        for row in backlog {
            let count = try row.int("pending")
            waiting += count
            aside += try row.int("failed")
            oldest = min(oldest, try row.optionalTimestamp("oldest_at")?.milliseconds ?? oldest)
            if try count >= Self.pendingMax || row.int("pending_bytes") >= Self.bytesMax {
                full.insert(OrganizationID(try row.uuid("organization_id")))
            }
        }
        pending.set(waiting)
        keptAside.set(aside)
        age.set(Int(now.milliseconds - oldest))
        crowded.withLock { $0 = full }
        isKnown.set(1)
    }

    func export(to metrics: inout Exposition) {
        metrics.counter(
            "homeroom_uploads_stored_total", "Uploads of apps that this process stored.",
            stored.value)
        metrics.counter(
            "homeroom_upload_failures_total", "How often storing an upload failed.", failed.value)
        guard isKnown.value == 1 else { return }
        metrics.gauge(
            "homeroom_uploads_pending", "Uploads of all processes that wait to be stored.",
            pending.value)
        metrics.gauge(
            "homeroom_uploads_pending_seconds", "How long the oldest of them has waited.",
            Double(age.value) / 1000)
        metrics.gauge(
            "homeroom_uploads_not_stored",
            "Uploads that could not be stored and are kept; a start of the server tries them again.",
            keptAside.value)
    }
}
