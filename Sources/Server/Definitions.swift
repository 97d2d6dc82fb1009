import Crypto
import Glibc
import Postgres

/// The SQL that defines the database, as it stands on disk.
package struct Definitions {
    /// One file with its path below the folder, such as `migrations/0001_access.sql`.
    struct File {
        let name: String
        let script: ScriptText

        var digest: [UInt8] { SHA256.digest(script.bytes).bytes }
    }

    let roles: File
    /// Run once each, in the order of their names.
    let migrations: [File]
    /// Applied whole each time, functions before policies.
    let redefined: [File]

    /// One digest for all of it: equal digests mean an equal schema.
    var digest: [UInt8] {
        var bytes: [UInt8] = []
        for file in [roles] + migrations + redefined {
            bytes += Array(file.name.utf8) + file.digest
        }
        return SHA256.digest(bytes).bytes
    }

    /// Reads the folder `SQL`.
    package init(folder: String) throws {
        roles = try Definitions.file("roles.sql", in: folder)
        migrations = try Definitions.files("migrations", in: folder)
        redefined = try ["functions", "policies"].flatMap { try Definitions.files($0, in: folder) }
    }

    /// Finds the folder: the setting, beside the program, or above it in a checkout.
    static func folder(_ settings: Settings) throws -> String {
        if let folder = settings.sqlFolder { return folder }
        let program = try Definitions.programPath()
        var folder = program[..<(program.lastIndex(of: "/") ?? program.startIndex)]
        let installed = "\(folder)/../share/homeroom/SQL"
        if access("\(installed)/roles.sql", R_OK) == 0 { return installed }
        while !folder.isEmpty {
            if access("\(folder)/SQL/roles.sql", R_OK) == 0 { return "\(folder)/SQL" }
            folder = folder[..<(folder.lastIndex(of: "/") ?? folder.startIndex)]
        }
        throw CommandFailure(
            "The SQL definitions are not beside the program; set HOMEROOM_SQL to their folder.")
    }

    static func isFile(_ path: String) -> Bool { access(path, F_OK) == 0 }

    private static func programPath() throws -> String {
        var buffer = [CChar](repeating: 0, count: 4096)
        let length = readlink("/proc/self/exe", &buffer, buffer.count - 1)
        guard length > 0 else { throw CommandFailure("The program's own path cannot be read.") }
        return String(decoding: buffer[..<length].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    private static func files(_ subfolder: String, in folder: String) throws -> [File] {
        guard let directory = opendir("\(folder)/\(subfolder)") else {
            throw CommandFailure("\(folder)/\(subfolder): \(String(cString: strerror(errno)))")
        }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name.hasSuffix(".sql") { names.append(name) }
        }
        return try names.sorted().map { try file("\(subfolder)/\($0)", in: folder) }
    }

    private static func file(_ name: String, in folder: String) throws -> File {
        File(name: name, script: try ScriptText(file: "\(folder)/\(name)"))
    }
}

/// Why a command could not do what it was told; the text is for the person at the terminal.
struct CommandFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
