import ClassKitUplink
import Foundation

extension Database {
    /// The current attempts, after those whose process has died were stopped at their last heartbeat.
    func currentActivities() throws -> [ActivityRow] {
        try sql.transaction {
            let running = try sql.rows(
                "select id, runs_in from activity where runs_in is not null",
                read: { (id: $0.text(0), process: $0.text(1)) })
            for activity in running where !ProcessMark.isAlive(activity.process) {
                try sql.run(
                    "update activity set runs_in = null, stopped_at = modified_at where id = ?",
                    .text(activity.id))
                try queue("activity", activity.id)
            }
        }
        return try sql.rows(
            Database.activityColumns + " from activity as a where is_current order by number",
            read: Database.activity)
    }

    static let activityColumns = """
        select a.id, a.path, a.former_id, a.started_at, a.stopped_at, a.modified_at, a.seconds, a.ranges,
               a.items, a.created_at, a.runs_in is not null, a.is_current
        """

    static func activity(_ row: SQLiteStatement) throws -> ActivityRow {
        guard let id = UUID(uuidString: row.text(0)),
            let modified = try row.optionalText(5).map({ try Moment(stored: $0) })
        else { throw CocoaError(.coderReadCorrupt) }
        return ActivityRow(
            id: id, path: PathKey.path(row.text(1)),
            formerID: row.optionalText(2).flatMap { UUID(uuidString: $0) },
            startedAt: try row.optionalText(3).map { try Moment(stored: $0) },
            stoppedAt: try row.optionalText(4).map { try Moment(stored: $0) },
            modifiedAt: modified, seconds: row.real(6), ranges: ProgressRanges(stored: row.text(7)),
            items: try JSONDecoder().decode(ItemRows.self, from: Data(row.text(8).utf8)),
            created: Date(timeIntervalSince1970: row.real(9)), isRunning: row.flag(10),
            isCurrent: row.flag(11))
    }

    /// Writes an attempt. If it is the current one, the one before at the same context no longer is.
    func write(_ row: ActivityRow) throws {
        let key = PathKey.make(row.path)
        let id = row.id.uuidString.lowercased()
        try sql.run(
            """
            update activity set started_at = ?, stopped_at = ?, modified_at = ?, seconds = ?, ranges = ?, items = ?,
                   runs_in = ?
             where id = ? and path = ? and is_current = ?
            """, values: try state(of: row) + [.text(id), .text(key), SQLiteValue(row.isCurrent)])
        guard sql.changedCount == 0 else { return }
        if row.isCurrent {
            try sql.run(
                "update activity set is_current = 0 where path = ? and is_current and id <> ?",
                .text(key), .text(id))
        }
        try sql.run(
            """
            insert into activity (started_at, stopped_at, modified_at, seconds, ranges, items, runs_in,
                                  id, path, is_current, former_id, created_at)
            values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            on conflict (id) do update set
                path = excluded.path, started_at = excluded.started_at, stopped_at = excluded.stopped_at,
                modified_at = excluded.modified_at, seconds = excluded.seconds, ranges = excluded.ranges,
                items = excluded.items, runs_in = excluded.runs_in, is_current = excluded.is_current
            """,
            values: try state(of: row) + [
                .text(id), .text(key), SQLiteValue(row.isCurrent),
                SQLiteValue(row.formerID?.uuidString.lowercased()),
                .real(row.created.timeIntervalSince1970),
            ])
    }

    /// What changes while a person works, in the order of the statements above.
    private func state(of row: ActivityRow) throws -> [SQLiteValue] {
        [
            SQLiteValue(row.startedAt?.stored), SQLiteValue(row.stoppedAt?.stored),
            .text(row.modifiedAt.stored), .real(row.seconds), .text(row.ranges.stored),
            .text(try row.items.stored()), row.isRunning ? .text(ProcessMark.own) : .null,
        ]
    }

    /// Keeps the time of a running attempt, as far as the database has the attempt.
    func beat(_ id: UUID, seconds: Double, at time: Moment) throws {
        try sql.run(
            "update activity set seconds = ?, modified_at = ? where id = ? and runs_in is not null",
            .real(seconds), .text(time.stored), .text(id.uuidString.lowercased()))
    }
}

extension Moment {
    /// As a text of the database.
    var stored: String { "\(wall.timeIntervalSince1970) \(uptime) \(bootID)" }

    init(stored text: String) throws {
        let parts = text.split(separator: " ", omittingEmptySubsequences: false)
        guard parts.count == 3, let wall = Double(parts[0]), let uptime = Double(parts[1]) else {
            throw CocoaError(.coderReadCorrupt)
        }
        self.init(
            wall: Date(timeIntervalSince1970: wall), uptime: uptime, bootID: String(parts[2]))
    }
}

extension ProgressRanges {
    /// As a text of the database.
    var stored: String { ranges.map { "\($0.start) \($0.end)" }.joined(separator: ",") }

    init(stored text: String) {
        for part in text.split(separator: ",") {
            let bounds = part.split(separator: " ").compactMap { Double($0) }
            if bounds.count == 2 { insert(ProgressRange(start: bounds[0], end: bounds[1])) }
        }
    }
}

extension ItemRows {
    /// As a text of the database.
    func stored() throws -> String {
        guard self != ItemRows() else { return "{\"additional\":[]}" }
        return String(decoding: try JSONEncoder().encode(self), as: UTF8.self)
    }
}
