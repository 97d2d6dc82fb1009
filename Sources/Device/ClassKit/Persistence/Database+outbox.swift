import ClassKitUplink
import Foundation

/// What waits for sending, as the uplink takes it.
extension Database {
    func removals(limit: Int) throws -> [Outgoing<[String]>] {
        try sql.rows(
            "select number, revision, ref from outbox where kind = 'removal' order by number limit ?",
            SQLiteValue(limit)
        ) { Outgoing(ticket: Database.ticket($0), record: PathKey.path($0.text(2))) }
    }

    /// Contexts keep the place in the queue that they got first, so that parents come before children.
    func contexts(limit: Int) throws -> [Outgoing<ContextRecord>] {
        try sql.rows(
            "select number, revision, " + Database.contextColumns + """
                  from outbox as o join context on path = o.ref
                 where o.kind = 'context' and not exists (
                       select 1 from outbox as r
                        where r.kind = 'removal'
                          and (r.ref = o.ref or o.ref > r.ref || '/' and o.ref < r.ref || '0'))
                 order by number limit ?
                """, SQLiteValue(limit)
        ) {
            Outgoing(
                ticket: Database.ticket($0),
                record: ContextRecord(Database.context($0, from: 2)))
        }
    }

    func thumbnails(limit: Int) throws -> [Outgoing<ThumbnailRecord>] {
        try sql.rows(
            """
            select number, revision, path, image from outbox as o join thumbnail on path = o.ref
             where o.kind = 'thumbnail' and not exists (
                   select 1 from outbox as c where c.kind = 'context' and c.ref = o.ref)
             order by number limit ?
            """, SQLiteValue(limit)
        ) {
            Outgoing(
                ticket: Database.ticket($0),
                record: ThumbnailRecord(
                    identifierPath: PathKey.path($0.text(2)), image: $0.data(3)))
        }
    }

    /// In the order in which the attempts began.
    func activities(limit: Int) throws -> [Outgoing<ActivityRecord>] {
        try sql.rows(
            Database.activityColumns + """
                , o.number, o.revision, a.stamp, f.stamp, a.former_modified_at
                  from outbox as o
                  join activity as a on a.id = o.ref
                  left join activity as f on f.id = a.former_id
                 where o.kind = 'activity' order by a.number limit ?
                """, SQLiteValue(limit)
        ) { row in
            let former = try Database.stamp(row.optionalText(15))?.modifiedAt
            return Outgoing(
                ticket: Database.ticket(row, from: 12),
                record: ActivityRecord(
                    try Database.activity(row), stamp: try Database.stamp(row.optionalText(14)),
                    formerModifiedAt: former
                        ?? row.optionalReal(16).map { Date(timeIntervalSince1970: $0) }))
        }
    }

    func completions(limit: Int) throws -> [Outgoing<CompletionRecord>] {
        try sql.rows(
            """
            select number, revision, ref, queued_at from outbox
             where kind = 'completion' order by number limit ?
            """, SQLiteValue(limit)
        ) {
            Outgoing(
                ticket: Database.ticket($0),
                record: CompletionRecord(
                    identifierPath: PathKey.path($0.text(2)),
                    queuedAt: try Moment(stored: $0.text(3))))
        }
    }

    func stamp(_ stamps: [ActivityStamp]) throws {
        try sql.transaction {
            for stamp in stamps {
                try sql.run(
                    "update activity set stamp = ? where id = ?",
                    .text(String(decoding: try JSONEncoder().encode(stamp), as: UTF8.self)),
                    .text(stamp.id.uuidString.lowercased()))
            }
        }
    }

    /// Takes rows out of the queue, unless they have gone on to another revision.
    func settle(_ tickets: [Ticket]) throws {
        try sql.transaction { for ticket in tickets { try settle(ticket) } }
    }

    func quarantine(_ refusals: [Refusal]) throws {
        try sql.transaction {
            for refusal in refusals {
                let problem = try JSONEncoder().encode(refusal)
                try sql.run(
                    """
                    insert into quarantine (kind, ref, revision, problem, quarantined_at)
                    select kind, ref, ?2, ?3, ?4 from outbox where number = ?1
                    """, SQLiteValue(Int(refusal.ticket.row) ?? 0),
                    .integer(refusal.ticket.revision),
                    .text(String(decoding: problem, as: UTF8.self)),
                    .real(Date().timeIntervalSince1970))
                try settle(refusal.ticket)
            }
        }
    }

    private func settle(_ ticket: Ticket) throws {
        let settled = try sql.rows(
            "delete from outbox where number = ? and revision = ? returning kind, ref",
            SQLiteValue(Int(ticket.row) ?? 0), .integer(ticket.revision)
        ) { (kind: $0.text(0), ref: $0.text(1)) }
        for (kind, ref) in settled {
            if kind == "context" || kind == "removal" { try note(settled: kind, ref) }
            if kind == "context" {
                try sql.run(
                    "update context set origin = 'native' where path = ? and origin = 'local'",
                    .text(ref))
            }
            if kind == "thumbnail" {
                try sql.run("delete from thumbnail where path = ? and image is null", .text(ref))
            }
            if kind == "activity" { try forget(ref) }
        }
    }

    /// Deletes an attempt that nobody asks for any more. The next one keeps the time that it must be later than.
    private func forget(_ id: String) throws {
        let stamps = try sql.rows(
            "select stamp from activity where id = ? and not is_current and runs_in is null",
            .text(id)
        ) { $0.optionalText(0) }
        guard let stored = stamps.first else { return }
        if let stamp = try Database.stamp(stored) {
            try sql.run(
                "update activity set former_modified_at = ? where former_id = ?",
                .real(stamp.modifiedAt.timeIntervalSince1970), .text(id))
        }
        try sql.run("delete from activity where id = ?", .text(id))
    }

    func state(_ name: String) throws -> Data? {
        try sql.rows("select value from meta where name = ?", .text(name)) { $0.data(0) }.first
            ?? nil
    }

    func keep(_ state: Data, as name: String) throws {
        try sql.run(
            "insert into meta values (?, ?) on conflict (name) do update set value = excluded.value",
            .text(name), .bytes(state))
    }

    private static func ticket(_ row: SQLiteStatement, from column: Int32 = 0) -> Ticket {
        Ticket(row: row.text(column), revision: Int64(row.integer(column + 1)))
    }

    private static func stamp(_ text: String?) throws -> ActivityStamp? {
        try text.map { try JSONDecoder().decode(ActivityStamp.self, from: Data($0.utf8)) }
    }
}
