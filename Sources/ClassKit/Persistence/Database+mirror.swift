import ClassKitUplink
import Foundation

extension Database {
    /// How many readings can go on at the same time, in all processes of the app.
    private static let readingLimit: Int64 = 100

    /// Says that what changed on the server is about to be read.
    ///
    /// - Returns: the number of this reading.
    func beginReading() throws -> Int64 {
        try sql.transaction {
            let reading = try lastReading() + 1
            try sql.run(
                """
                insert into meta values ('reading', ?1) on conflict (name) do update set value = ?1
                """, .integer(reading))
            try sql.run(
                "delete from settled where reading < ?", .integer(reading - Database.readingLimit))
            return reading
        }
    }

    private func lastReading() throws -> Int64 {
        try sql.rows("select value from meta where name = 'reading'") { Int64($0.integer(0)) }.first
            ?? 0
    }

    /// Remembers what the server took just now, for readings that have begun already.
    func note(settled kind: String, _ ref: String) throws {
        try sql.run(
            """
            insert into settled values (?1, ?2, ?3)
            on conflict (kind, ref) do update set reading = excluded.reading
            """, .text(kind), .text(ref), .integer(try lastReading()))
    }

    /// Takes over what changed on the server. What waits for sending is newer and stays as it is, and so does what was
    /// sent after this reading began: the server may have answered before it came.
    func mirror(_ page: MirrorPage) throws {
        try sql.transaction {
            if page.isFirstOfWhole { try doubtAll(page.reading) }
            for path in page.removed where try !isNewer(path, than: page.reading) {
                try deleteMirrored(PathKey.make(path))
            }
            for context in page.contexts {
                let path = context.record.identifierPath
                guard try !isNewer(path, than: page.reading) else { continue }
                try write(ContextRow(context))
                if try thumbnail(at: path) != nil {
                    try sql.run(
                        "update context set has_thumbnail = 1 where path = ?",
                        .text(PathKey.make(path)))
                }
            }
            if page.isLast {
                let gone = try sql.rows("select path from context where is_doubtful") {
                    $0.text(0)
                }
                for key in gone { try deleteMirrored(key) }
            }
            try keep(page.cursor, as: Uplink.mirrorState)
        }
    }

    /// Doubts that the server still has what it once had. What it lists is beyond doubt again.
    private func doubtAll(_ reading: Int64) throws {
        try sql.run(
            """
            update context set is_doubtful = 1
             where not exists (select 1 from outbox where kind = 'context' and ref = path)
               and not exists (select 1 from settled
                                where kind = 'context' and ref = path and reading >= ?)
            """, .integer(reading))
    }

    /// Whether a change of the context, or a removal of it or of an ancestor, waits for sending or was sent after a
    /// reading began.
    private func isNewer(_ path: [String], than reading: Int64) throws -> Bool {
        let keys = (0...path.count).map { PathKey.make(path.prefix($0)) }
        for (index, key) in keys.enumerated() {
            let found = try sql.rows(
                """
                select 1 from outbox
                 where ref = ?1 and (kind = 'removal' or kind = 'context' and ?2)
                union all
                select 1 from settled
                 where ref = ?1 and (kind = 'removal' or kind = 'context' and ?2) and reading >= ?3
                """, .text(key), SQLiteValue(index == keys.count - 1), .integer(reading)
            ) { _ in true }
            if !found.isEmpty { return true }
        }
        return false
    }

    /// Deletes one context. Its descendants have tombstones of their own.
    private func deleteMirrored(_ key: String) throws {
        guard !key.isEmpty else { return }
        try sql.run("delete from context where path = ?", .text(key))
        try sql.run("delete from thumbnail where path = ?", .text(key))
        try sql.run("delete from outbox where kind = 'thumbnail' and ref = ?", .text(key))
    }
}
