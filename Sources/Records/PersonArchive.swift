import Archive
import JSONBytes
import School
import Values

/// Everything of one person, to be handed out: a file of lines for each table, an index for programs and a page for
/// people.
///
/// The rows stay in memory: what one person leaves in a school's records is some megabytes at most.
struct PersonArchive: Sendable {
    private struct Table: Sendable {
        let name: String
        let meaning: String
        var rows = 0
        var lines: [UInt8] = []

        var file: String { "\(name).ndjson" }
    }

    private let personID: PersonID
    private let made: Timestamp
    private var tables: [Table] = []

    /// - Parameter made: the moment that the archive tells of.
    init(personID: PersonID, made: Timestamp) {
        self.personID = personID
        self.made = made
    }

    /// Adds a row, a JSON object in one line; the rows of a table follow each other.
    mutating func add(_ row: String, to table: String, meaning: String) {
        if tables.last?.name != table { tables.append(Table(name: table, meaning: meaning)) }
        tables[tables.count - 1].rows += 1
        tables[tables.count - 1].lines += Array(row.utf8) + [UInt8(ascii: "\n")]
    }

    /// The zip; blocks while it is made.
    func packed() throws -> [UInt8] {
        let writer = try ZipWriter()
        try writer.add("README.txt", Array(page.utf8))
        try writer.add("index.json", index.bytes)
        for table in tables { try writer.add(table.file, table.lines) }
        return try writer.finish()
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

            Each file has one line for each record, in JSON; times are UTC. Left out is what proves who somebody
            is (passwords and tokens, of which only digests are kept) and what concerns other people: of
            records that name several, only this person's part is here.

            \(list.joined(separator: "\n"))

            """
    }
}
