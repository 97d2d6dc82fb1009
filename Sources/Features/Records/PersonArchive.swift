import Archive
import Files
import JSONBytes
import Postgres
import School
import Values

/// Everything about one person, to be handed out: a file of lines for each table, an index for programs and a page
/// for people.
///
/// Rows are compressed into an unnamed file as they arrive, so nothing is kept in memory. Calls block and must not
/// overlap.
final class PersonArchive: @unchecked Sendable {
    private struct Table {
        let name: String
        let meaning: String
        var rows = 0

        var file: String { "\(name).ndjson" }
    }

    private let personID: PersonID
    private let made: Timestamp
    private let packer: ZipPacker
    private var tables: [Table] = []

    /// - Parameters:
    ///   - made: the time that the archive describes.
    ///   - folder: where the archive is written.
    init(personID: PersonID, made: Timestamp, in folder: String) throws {
        self.personID = personID
        self.made = made
        packer = try ZipPacker(in: folder)
    }

    /// Adds rows of `personal_rows`, each a JSON object in one line. The rows of a table must be consecutive.
    func add(_ rows: Rows) throws {
        for row in rows {
            let name = try row.text("table_name")
            if tables.last?.name != name {
                tables.append(Table(name: name, meaning: try row.text("meaning")))
                try packer.begin(tables[tables.count - 1].file)
            }
            tables[tables.count - 1].rows += 1
            try packer.write(Array(row.text("content").utf8) + [UInt8(ascii: "\n")])
        }
    }

    /// Finishes the zip; nothing can be added to it afterwards.
    func packed() throws -> UnnamedFile {
        try packer.begin("index.json")
        try packer.write(index.bytes)
        try packer.begin("README.txt")
        try packer.write(Array(page.utf8))
        return try packer.finish()
    }

    private var index: JSONValue {
        [
            "personId": .text(personID.uuid.description), "madeAt": .text(made.description),
            "files": .array(
                tables.map {
                    [
                        "name": .text($0.file), "rows": .number(JSONNumber(Int64($0.rows))),
                        "meaning": .text($0.meaning),
                    ]
                }),
        ]
    }

    private var page: String {
        let width = tables.map(\.file.count).max() ?? 0
        let list = tables.map { table in
            let padding = String(repeating: " ", count: width - table.file.count)
            return "\(table.file)\(padding)  \(table.rows) × \(table.meaning)"
        }
        return """
            What Homeroom holds of the person \(personID.uuid)
            made at \(made)

            Each file has one line for each record, in JSON; times are UTC. Left out is what proves who a person
            is (passwords and tokens, of which only digests are kept) and what concerns other people: of
            records that name several, only this person's part is here.

            \(list.joined(separator: "\n"))

            """
    }
}
