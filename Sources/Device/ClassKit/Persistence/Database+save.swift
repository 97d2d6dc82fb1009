import ClassKitUplink
import Foundation

extension Database {
    /// Makes the changes of one save, in one transaction, and queues them for sending.
    func save(_ rows: SaveRows, at time: Moment) throws {
        try sql.transaction {
            for path in rows.removals {
                try deleteContexts(below: path)
                try queue("removal", PathKey.make(path), at: time)
            }
            for (row, picture) in rows.contexts {
                try write(row)
                try queue("context", PathKey.make(row.path), at: time)
                if case .file(let image) = picture {
                    try write(image, at: row.path)
                    try queue("thumbnail", PathKey.make(row.path), at: time)
                }
            }
            for row in rows.activities {
                try write(row)
                try queueAgain(row.id, at: time)
            }
        }
    }

    /// Keeps the times of running attempts, and queues them.
    func beat(_ readings: [(id: UUID, seconds: Double)], at time: Moment) throws {
        try sql.transaction {
            for reading in readings {
                try beat(reading.id, seconds: reading.seconds, at: time)
                try queueAgain(reading.id, at: time)
            }
        }
    }

    /// Queues that everything assigned for a context is done.
    func complete(_ path: [String], at time: Moment) throws {
        try sql.transaction { try queue("completion", PathKey.make(path), at: time) }
    }

    /// Says that something has to be sent. Its place in the queue stays if it was queued before.
    func queue(_ kind: String, _ ref: String, at time: Moment? = nil) throws {
        try sql.run(
            """
            insert into outbox (kind, ref, revision, queued_at) values (?, ?, 1, ?)
            on conflict (kind, ref) do update set revision = revision + 1, queued_at = excluded.queued_at
            """, .text(kind), .text(ref), .text((time ?? LinuxClocks().now).stored))
    }

    /// The same for an attempt, which changes again and again: an update leaves the counter of numbers alone, and so
    /// writes one page less.
    private func queueAgain(_ activity: UUID, at time: Moment) throws {
        let ref = activity.uuidString.lowercased()
        try sql.run(
            """
            update outbox set revision = revision + 1, queued_at = ? where kind = 'activity' and ref = ?
            """, .text(time.stored), .text(ref))
        if sql.changedCount == 0 { try queue("activity", ref, at: time) }
    }
}
