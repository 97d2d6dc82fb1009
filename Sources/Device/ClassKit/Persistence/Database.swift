import CSQLite
import Foundation

/// The file in which one person's contexts, attempts and unsent reports are kept, for one app.
///
/// Everything that a call changes is on the disk when it returns. Used by one thread at a time; several processes may
/// have the file open.
final class Database {
    let sql: SQLite
    let file: URL
    private let process = ProcessMark.own
    private var seenVersion = 0

    /// Opens the file, and creates it if there is none. A damaged file is set aside, and never deleted.
    /// - Throws: `CLSError.databaseInaccessible`.
    static func opening(_ file: URL) throws -> Database {
        do {
            return try Database(file)
        } catch let error as SQLiteError where error.isDamage {
            try setAside(file)
            throw CLSError(
                .databaseInaccessible,
                """
                The store \(file.path) is damaged (\(error.explanation)). It was renamed, so that a new one can be \
                made: try again.
                """)
        } catch let error as CLSError {
            throw error
        } catch {
            throw CLSError(
                .databaseInaccessible,
                "The store \(file.path) cannot be opened: \(error.localizedDescription).")
        }
    }

    private init(_ file: URL) throws {
        let folder = file.deletingLastPathComponent()
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        // SQLite gives its journal the permissions of the database.
        let descriptor = open(file.path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw CocoaError(.fileWriteNoPermission) }
        close(descriptor)
        self.file = file
        sql = try SQLite(file: file.path)
        // A journal that begins anew soon is written over and does not grow, which makes each commit cheaper to sync.
        try sql.script(
            """
            pragma journal_mode = wal; pragma synchronous = full; pragma wal_autocheckpoint = 100
            """)
        try migrate()
        guard try sql.rows("pragma quick_check(1)", read: { $0.text(0) }) == ["ok"] else {
            throw SQLiteError(code: SQLITE_CORRUPT, explanation: "quick_check found damage")
        }
        seenVersion = try dataVersion()
    }

    private func migrate() throws {
        let known = Schema.steps.count
        let version = try userVersion()
        guard version <= known else {
            throw CLSError(
                .databaseInaccessible,
                """
                The store \(file.path) was made by a newer version of ClassKit (\(version); this one knows \(known)). \
                Update the app.
                """)
        }
        guard version < known else { return }
        try sql.transaction {
            // Another process may have been faster.
            for step in try userVersion()..<known { try sql.script(Schema.steps[step]) }
            try sql.script("pragma user_version = \(known)")
        }
    }

    private func userVersion() throws -> Int {
        try sql.rows("pragma user_version") { $0.integer(0) }.first ?? 0
    }

    private func dataVersion() throws -> Int {
        try sql.rows("pragma data_version") { $0.integer(0) }.first ?? 0
    }

    /// Whether another process has changed the file since the last call.
    func hasForeignChanges() throws -> Bool {
        let version = try dataVersion()
        defer { seenVersion = version }
        return version != seenVersion
    }

    private static func setAside(_ file: URL) throws {
        let time = Int(Date().timeIntervalSince1970 * 1000)
        for suffix in ["", "-wal", "-shm"] {
            let source = file.path + suffix
            guard FileManager.default.fileExists(atPath: source) else { continue }
            try FileManager.default.moveItem(
                atPath: source, toPath: "\(file.path).damaged-\(time)\(suffix)")
        }
    }
}

/// Names a process, so that others can find out whether it still runs.
enum ProcessMark {
    static let own = mark(of: ProcessInfo.processInfo.processIdentifier) ?? "unknown"

    /// The process id and when it started, as ids are used again; `nil` if there is no such process.
    static func mark(of id: Int32) -> String? {
        guard let status = try? String(contentsOfFile: "/proc/\(id)/stat", encoding: .utf8),
            let name = status.lastIndex(of: ")")
        else { return nil }
        // The start is the twentieth field behind the name, which may hold spaces.
        let fields = status[name...].split(separator: " ")
        guard fields.count > 20, fields[1] != "Z" else { return nil }
        return "\(id) \(fields[20])"
    }

    static func isAlive(_ mark: String) -> Bool {
        guard let id = mark.split(separator: " ").first.flatMap({ Int32($0) }) else { return false }
        return self.mark(of: id) == mark
    }
}
