import Crypto
import Files
import Glibc
import Postgres

/// The SQL on disk that defines the database.
package struct Definitions {
    /// One file with its path below the folder, such as `migrations/0001_directory.sql`.
    struct File {
        let name: String
        let script: ScriptText

        var digest: [UInt8] { SHA256.digest(script.bytes).bytes }
    }

    let roles: File
    /// Run once each, in name order.
    let migrations: [File]
    /// The files of functions and policies.
    private let replaced: [File]
    /// The number of the migration that a server must know to serve beside this schema.
    let servesFrom: Int
    /// The version that readiness checks compare the database with.
    package let version: SchemaVersion
    private let folder: String

    /// One digest of all of it: equal digests mean equal schemas.
    var digest: [UInt8] { version.digest }

    /// Reads the folder `SQL`.
    package init(folder: String) throws {
        self.folder = folder
        roles = try Definitions.file("roles.sql", in: folder)
        migrations = try Definitions.files("migrations", in: folder)
        replaced = try ["functions", "policies"].flatMap {
            try Definitions.files($0, in: folder)
        }
        let compatibility = try Definitions.file("compatibility", in: folder)
        servesFrom = try Definitions.number(in: compatibility)
        var bytes: [UInt8] = []
        for file in [roles, compatibility] + migrations + replaced {
            bytes += Array(file.name.utf8) + file.digest
        }
        version = SchemaVersion(
            digest: SHA256.digest(bytes).bytes, migrations: Set(migrations.map(\.name)))
    }

    /// The statements for functions and policies, in an order that PostgreSQL accepts. Made each time: a server that
    /// starts over an unchanged schema needs none of them, and they take longer than all else that it reads.
    var redefined: [DefinedStatement] {
        replaced.flatMap { file in
            file.script.statements().map {
                DefinedStatement(file: file.name, script: $0, definition: Definition($0.text))
            }
        }.inOrderOfUse()
    }

    /// What the catalogue of a new database of this version says.
    var catalogue: String {
        get throws { try Definitions.file("catalogue", in: folder).script.text }
    }

    /// The number on a line of its own, below the file's comment.
    private static func number(in file: File) throws -> Int {
        let lines = file.script.text.split(separator: "\n").filter { !$0.hasPrefix("#") }
        guard lines.count == 1, let number = Int(lines[0]) else {
            throw CommandFailure("SQL/\(file.name) should hold one number.")
        }
        return number
    }

    /// Finds the folder: from the setting, beside the program, or above it in a checkout.
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

    /// The SQL files of a folder and its subfolders, by path.
    private static func files(_ subfolder: String, in folder: String) throws -> [File] {
        try paths(subfolder, in: folder).sorted().map { try file($0, in: folder) }
    }

    private static func paths(_ subfolder: String, in folder: String) throws -> [String] {
        let path = "\(folder)/\(subfolder)"
        guard Folder.exists(path) else { throw CommandFailure("There is no folder \(path).") }
        return try Folder.names(in: path).flatMap { name -> [String] in
            if Folder.exists("\(path)/\(name)") {
                return try paths("\(subfolder)/\(name)", in: folder)
            }
            return name.hasSuffix(".sql") ? ["\(subfolder)/\(name)"] : []
        }
    }

    private static func file(_ name: String, in folder: String) throws -> File {
        File(name: name, script: try ScriptText(file: "\(folder)/\(name)"))
    }
}

/// The reason why a command failed, as text for the person at the terminal.
struct CommandFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
