import ClassKitUplink
import Foundation

extension Database {
    /// Takes over what changed on the server. What waits for sending is newer and stays as it is.
    func mirror(_ page: MirrorPage) throws {
        try sql.transaction {
            if page.isFirstOfWhole {
                try sql.run(
                    """
                    update context set is_doubtful = 1
                     where not exists (select 1 from outbox where kind = 'context' and ref = path)
                    """)
            }
            for path in page.removed where try !hasLocalChange(at: path) {
                try deleteMirrored(PathKey.make(path))
            }
            for context in page.contexts {
                let path = context.record.identifierPath
                guard try !hasLocalChange(at: path) else { continue }
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

    /// Whether a change of the context, or a removal of it or of an ancestor, waits for sending.
    private func hasLocalChange(at path: [String]) throws -> Bool {
        let keys = (0...path.count).map { PathKey.make(path.prefix($0)) }
        for (index, key) in keys.enumerated() {
            let found = try sql.rows(
                """
                select 1 from outbox
                 where ref = ?1 and (kind = 'removal' or kind = 'context' and ?2)
                """, .text(key), SQLiteValue(index == keys.count - 1)
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
