import Crypto
import Files
import JSONBytes
import Postgres
import School
import Values

/// What the folder of an organization's archive contains, and how to verify it: `manifest.json`.
struct ArchiveManifest {
    static let name = "manifest.json"
    /// Describes tables and columns, for readers.
    static let schemaName = "schema.json"
    private static let form = "homeroom organization archive"
    /// Increases when the form of the files changes.
    private static let version: Int64 = 1
    private static let bytesMax = 1 << 20
    /// What lets somebody go on without signing in. An archive has it only if it is to take the place of the
    /// organization where it was made, and is as good as an administrator then.
    static let sessionTables: Set<String> = [
        "access_token", "authorization_code", "badge", "device_code", "refresh_token", "session",
        "sign_in_device", "tool_launch", "tool_token_id",
    ]

    /// One file of rows.
    struct Table {
        let name: String
        let columns: [String]
        let rows: Int
        let bytes: Int
        let sha256: String

        var file: String { "\(name).ndjson" }
    }

    let organizationID: OrganizationID
    let organizationName: String
    let takenAt: Timestamp
    let tables: [Table]
    /// Of the file as it was read; `nil` before it is written.
    private let digestAsRead: String?

    /// Names the archive with all that is in it: the manifest has the digest of every file.
    var digest: String { digestAsRead ?? SHA256.digest(bytes).description }
    var rows: Int { tables.reduce(0) { $0 + $1.rows } }

    var bytes: [UInt8] {
        let document: JSONValue = [
            "form": .text(Self.form), "version": .number(JSONNumber(Self.version)),
            "madeBy": .text("homeroom \(Program.version)"),
            "organizationId": .text(organizationID.uuid.description),
            "name": .text(organizationName), "takenAt": .text(takenAt.description),
            "tables": .array(
                tables.map { table in
                    [
                        "name": .text(table.name), "file": .text(table.file),
                        "columns": .array(table.columns.map(JSONValue.text)),
                        "rows": .number(JSONNumber(Int64(table.rows))),
                        "bytes": .number(JSONNumber(Int64(table.bytes))),
                        "sha256": .text(table.sha256),
                    ]
                }),
        ]
        return document.bytes + [UInt8(ascii: "\n")]
    }

    init(
        organizationID: OrganizationID, organizationName: String, takenAt: Timestamp,
        tables: [Table]
    ) {
        self.organizationID = organizationID
        self.organizationName = organizationName
        self.takenAt = takenAt
        self.tables = tables
        digestAsRead = nil
    }

    /// Reads that of a folder.
    init(of folder: String) throws {
        let path = "\(folder)/\(Self.name)"
        guard let content = try? File.contents(of: path, limit: Self.bytesMax),
            let document = try? JSONValue(parsing: content),
            document["form"]?.text == Self.form
        else { throw CommandFailure("\(path) is not the manifest of an organization's archive.") }
        guard document["version"]?.int64 == Self.version else {
            throw CommandFailure("\(path) was made by a newer version of Homeroom.")
        }
        guard let id = document["organizationId"]?.text.flatMap({ UUID($0) }),
            let takenAt = document["takenAt"]?.text.flatMap({ Timestamp($0) }),
            let tables = document["tables"]?.array
        else { throw CommandFailure("\(path) is not complete.") }
        organizationID = OrganizationID(id)
        organizationName = document["name"]?.text ?? ""
        self.takenAt = takenAt
        digestAsRead = SHA256.digest(content).description
        self.tables = try tables.map { try Table($0, path) }
    }
}

extension ArchiveManifest.Table {
    fileprivate init(_ entry: JSONValue, _ path: String) throws {
        guard let name = entry["name"]?.text, let columns = entry["columns"]?.array,
            let rows = entry["rows"]?.int64, let bytes = entry["bytes"]?.int64,
            let sha256 = entry["sha256"]?.text
        else { throw CommandFailure("\(path) is not complete: each table needs its file.") }
        self.init(
            name: name, columns: columns.compactMap(\.text), rows: Int(rows), bytes: Int(bytes),
            sha256: sha256)
    }
}

/// A table of an archive as this database has it.
struct ArchivedTable {
    let name: String
    let columns: [String]
    /// Whether rows refer to other rows of the table, so that all of them are inserted at once.
    let isSelfReferring: Bool
    /// What the schema file says of it.
    let description: JSONValue

    /// In the order in which they are restored.
    static func all(_ connection: BlockingConnection) throws -> [ArchivedTable] {
        let rows = try connection.query(
            """
            select table_name, columns, is_self_referring,
                   json_build_object('name', table_name, 'meaning', meaning, 'key', key, 'columns', (
                       select json_agg(json_build_object('name', c, 'type', t, 'isRequired', r, 'meaning', m)
                                       order by n)
                         from unnest(columns, types, required, meanings) with ordinality as u (c, t, r, m, n))
                   )::text as description
              from school.archived_tables()
            """)
        return try rows.map { row in
            ArchivedTable(
                name: try row.text("table_name"), columns: try row.textArray("columns"),
                isSelfReferring: try row.bool("is_self_referring"),
                description: try JSONValue(parsing: Array(row.text("description").utf8)))
        }
    }
}

extension Statement {
    /// The rows of an organization in a table, a line each. No line contains the quote or the delimiter, because JSON
    /// has no control characters, so lines are copied as they are.
    static func copyArchived(
        _ table: String, _ columns: [String], of organization: OrganizationID
    ) -> Statement {
        """
        copy (select line from school.archived_rows(\(organization), \(table), \(columns)) as line)
          to stdout with (format csv, quote E'\\x01', delimiter E'\\x02')
        """
    }
}
