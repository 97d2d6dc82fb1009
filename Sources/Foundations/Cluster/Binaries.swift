import Files
import Glibc

/// The installed programs of one major version of PostgreSQL.
struct Binaries: Sendable, Equatable {
    /// The oldest supported major version.
    static let oldest = 15

    let major: Int
    let folder: String

    var postgres: String { "\(folder)/postgres" }
    var initdb: String { program("initdb") }

    /// The path of another program of this version, such as `pg_upgrade`.
    func program(_ name: String) -> String { "\(folder)/\(name)" }

    /// The programs of the version, or of the newest; throws `binariesMissing`.
    static func find(major: Int?) throws(ClusterError) -> Binaries {
        let candidates =
            versioned("/usr/lib/postgresql", suffix: "/bin")
            + versioned("/usr", suffix: "/bin", prefix: "pgsql-")
        let wanted: (Binaries) -> Bool = { major == nil ? $0.major >= oldest : $0.major == major }
        let complete = candidates.filter { wanted($0) && $0.isComplete }
        if let newest = complete.max(by: { $0.major < $1.major }) { return newest }
        let path = getenv("PATH").map { String(cString: $0) } ?? ""
        for folder in path.split(separator: ":") {
            if let found = versionOf(String(folder)), wanted(found), found.isComplete {
                return found
            }
        }
        throw .binariesMissing(major: major)
    }

    private var isComplete: Bool {
        access(postgres, X_OK) == 0 && access(initdb, X_OK) == 0
    }

    private static func versioned(
        _ parent: String, suffix: String, prefix: String = ""
    ) -> [Binaries] {
        Folder.names(in: parent).compactMap { name in
            guard name.hasPrefix(prefix), let major = Int(name.dropFirst(prefix.count)) else {
                return nil
            }
            return Binaries(major: major, folder: "\(parent)/\(name)\(suffix)")
        }
    }

    /// Asks the program itself: `postgres (PostgreSQL) 16.4`.
    private static func versionOf(_ folder: String) -> Binaries? {
        let path = "\(folder)/postgres"
        guard access(path, X_OK) == 0 else { return nil }
        let child = Child(path: path, arguments: ["--version"], folder: "/", account: nil)
        guard let (status, output) = try? child.run(), status == 0,
            let major = output.split(separator: " ").last?.split(separator: ".").first
                .flatMap({ Int($0) })
        else { return nil }
        return Binaries(major: major, folder: folder)
    }
}
