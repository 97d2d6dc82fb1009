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
            if let cursor = page.cursor {
                try keep(cursor, as: Uplink.mirrorState)
            } else {
                for context in page.contexts {
                    try makeParents(of: context)
                    try keepFromDoubt(context.record.identifierPath)
                }
            }
        }
    }

    /// Remembers that a context was found by its path. No list has it, so that it is not gone where a list lacks it, and
    /// neither are the contexts above it.
    private func keepFromDoubt(_ path: [String]) throws {
        for count in 1..<(path.count + 1) {
            let key = PathKey.make(path.prefix(count))
            try keep(Data(), as: Database.foundByPath + key)
        }
    }

    /// What the names of such states begin with.
    private static let foundByPath = "path "

    /// Makes the parents of a context, if they are not there: of what a handout assigns, the server tells no more than
    /// the path. They are not sent.
    private func makeParents(of context: MirroredContext) throws {
        let path = context.record.identifierPath
        for count in 1..<max(1, path.count) {
            let parent = Array(path.prefix(count))
            let isThere = try sql.rows(
                "select 1 from context where path = ?", .text(PathKey.make(parent))
            ) { _ in true }
            guard isThere.isEmpty else { continue }
            try write(
                ContextRow(
                    path: parent, fields: ContextFields(type: .none, title: parent[count - 1]),
                    capabilities: [], navigation: [], origin: context.origin,
                    created: context.createdAt, modified: context.updatedAt))
        }
    }

    /// Doubts that the server still has what it once had. What it lists is beyond doubt again.
    private func doubtAll(_ reading: Int64) throws {
        try sql.run(
            """
            update context set is_doubtful = 1
             where not exists (select 1 from outbox where kind = 'context' and ref = path)
               and not exists (select 1 from settled
                                where kind = 'context' and ref = path and reading >= ?1)
               and not exists (select 1 from meta where name = ?2 || path)
            """, .integer(reading), .text(Database.foundByPath))
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
        try sql.run("delete from meta where name = ?", .text(Database.foundByPath + key))
        try sql.run("delete from thumbnail where path = ?", .text(key))
        try sql.run("delete from outbox where kind = 'thumbnail' and ref = ?", .text(key))
    }
}
