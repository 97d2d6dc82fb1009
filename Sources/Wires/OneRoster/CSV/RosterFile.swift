import CSV
import Postgres

/// A file of a roster archive that Homeroom writes.
struct RosterFile {
    let name: String
    /// In the order of the format.
    let columns: [String]
    /// What PostgreSQL writes, with the rights of a roster reader.
    private let records: Statement

    init(_ name: String, _ columns: [String], _ records: Statement) {
        self.name = name
        self.columns = columns
        self.records = records
    }

    var fileName: String { "\(name).csv" }

    var header: [UInt8] {
        var writer = CSVWriter()
        writer.record(columns)
        return writer.take()
    }

    var copy: Statement { "copy (\(fragment: records)) to stdout (format csv)" }
}
