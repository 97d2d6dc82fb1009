import JSONBytes
import Values

/// The backups in a folder, as pgBackRest lists them.
struct BackupListing {
    /// A full backup.
    struct Backup {
        let label: String
        let began: Timestamp
        let ended: Timestamp
        let databaseBytes: Int64
        /// Compressed.
        let storedBytes: Int64
        /// The newest migration of the database, if Homeroom took the backup.
        let schema: String?
        /// The version of Homeroom.
        let version: String?
        /// Whether pages of the database did not have their checksums when they were copied.
        let isDamaged: Bool
    }

    /// The names of what a backup notes about itself.
    static let schemaNote = "schema"
    static let versionNote = "homeroom"

    /// The oldest first.
    let backups: [Backup]

    /// - Parameter text: the JSON of `pgbackrest info`.
    init(_ text: String, in folder: String) throws {
        let stanza = try JSONValue(parsing: Array(text.utf8))[0]
        let status = stanza?["repo"]?[0]?["status"] ?? stanza?["status"]
        // 2: there is no backup yet.
        guard let code = status?["code"]?.int64, [0, 2].contains(code) else {
            throw CommandFailure(
                "The backup in \(folder) cannot be read: \(status?["message"]?.text ?? text)")
        }
        backups = (stanza?["backup"]?.array ?? []).compactMap(Backup.init)
    }

    /// The newest one, sound or not.
    var newest: Backup? { backups.last }

    /// The one to go on from: the newest sound one, since the WAL after it repeats no damage; with a moment, of those
    /// that ended before it. A damaged one where no other is left.
    func newestToRestore(before moment: Timestamp? = nil) -> Backup? {
        let possible = backups.filter { backup in moment.map { backup.ended <= $0 } ?? true }
        return possible.last { !$0.isDamaged } ?? possible.last
    }
}

extension BackupListing.Backup {
    fileprivate init?(_ json: JSONValue) {
        func moment(_ name: String) -> Timestamp? {
            json["timestamp"]?[name]?.int64.map { Timestamp(milliseconds: $0 * 1000) }
        }
        guard let label = json["label"]?.text, let began = moment("start"),
            let ended = moment("stop")
        else { return nil }
        self.label = label
        self.began = began
        self.ended = ended
        databaseBytes = json["info"]?["size"]?.int64 ?? 0
        storedBytes = json["info"]?["repository"]?["size"]?.int64 ?? 0
        schema = json["annotation"]?[BackupListing.schemaNote]?.text
        version = json["annotation"]?[BackupListing.versionNote]?.text
        isDamaged = json["error"]?.bool == true
    }

    var json: JSONValue {
        [
            "backup": .text(label), "startedAt": .text(began.description),
            "endedAt": .text(ended.description),
            "databaseBytes": .number(JSONNumber(databaseBytes)),
            "storedBytes": .number(JSONNumber(storedBytes)),
            "version": version.map(JSONValue.text) ?? .null,
        ]
    }
}
