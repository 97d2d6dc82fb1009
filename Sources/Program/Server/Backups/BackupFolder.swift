import Cluster
import Files
import Glibc

/// What the commands for backups read from their arguments.
enum BackupFolder {
    /// The absolute path of a folder that need not exist.
    static func path(_ text: String) throws -> String {
        guard !text.isEmpty, !text.contains("\n") else {
            throw UsageError(description: "That should be a folder.")
        }
        if text.hasPrefix("/") { return plainPath(text) }
        var buffer = [CChar](repeating: 0, count: 4096)
        guard getcwd(&buffer, buffer.count) != nil else {
            throw UsageError(description: "The folder should begin with a slash here.")
        }
        let current = String(
            decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return plainPath("\(current)/\(text)")
    }

    /// Refuses the data folder and what is in it, whichever links lead there: a restore empties it.
    static func requireOutside(_ folder: String, _ settings: Settings) throws {
        let data = try real(path(settings.dataFolder))
        let backup = real(folder)
        guard backup == data || backup.hasPrefix("\(data)/") else { return }
        throw UsageError(
            description: "\(folder) is in the data folder, and would be lost with it.")
    }

    /// The path without links, as far as it exists.
    private static func real(_ path: String) -> String {
        if let found = realpath(path, nil) {
            defer { free(found) }
            return String(cString: found)
        }
        guard path != "/", let slash = path.lastIndex(of: "/") else { return path }
        let parent = real(slash == path.startIndex ? "/" : String(path[..<slash]))
        return (parent == "/" ? "" : parent) + path[slash...]
    }

    /// The key in a file: one line.
    static func key(inFile path: String) throws -> String {
        let bytes: [UInt8]
        do {
            bytes = try File.contents(of: path, limit: 4096)
        } catch {
            throw CommandFailure("The key could not be read: \(error)")
        }
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
        let isPlain = lines.first?.utf8.allSatisfy { (0x21...0x7E).contains($0) } == true
        guard lines.count == 1, let key = lines.first, isPlain, key.utf8.count >= 16 else {
            throw CommandFailure(
                """
                \(path) should hold one line of at least 16 letters, digits and signs, without spaces, as from: \
                openssl rand -base64 33
                """)
        }
        return String(key)
    }

    /// Backups of another server than the private one are made with its own tools.
    static func requirePrivate(_ settings: Settings) throws {
        guard settings.databaseURL != nil else { return }
        throw CommandFailure(
            """
            This is for the private PostgreSQL. A PostgreSQL of your own is backed up with the tools for it; \
            deploy/guides/backups.md says what to look out for.
            """)
    }
}
