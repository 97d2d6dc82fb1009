import API
import CSV
import HTTPServer
import HTTPWire
import Postgres

/// A list of an import as CSV, in the columns of the list.
///
/// Rows are read while they are sent, some at a time, so that the plan of a district takes no memory and keeps no
/// transaction open.
struct ImportTable: Sendable {
    /// How many rows are read at a time.
    static let batch = 1000

    /// What the file is called.
    let name: String
    let columns: [String]
    /// At most so many rows behind a position: the columns, then their own position.
    let rows: @Sendable (_ position: Int?, _ limit: Int) async throws -> Rows

    func response() async throws -> Response {
        let first = try await rows(nil, Self.batch)
        return Response(
            200,
            headers: [
                ResponseField("Content-Type", "text/csv; charset=utf-8; header=present"),
                ResponseField("Cache-Control", "no-store"), .attachment(name),
            ],
            body: .stream(length: nil) { client in
                // Escapes texts that a spreadsheet would run as formulas: much of it is quoted from an archive.
                var writer = CSVWriter(style: .spreadsheet)
                writer.record(columns)
                var rows = first
                while true {
                    try append(rows, to: &writer)
                    try await client.write(writer.take())
                    guard rows.count == Self.batch else { break }
                    rows = try await self.rows(rows[rows.count - 1].int("position"), Self.batch)
                }
            }
        ).varying(by: "Accept")
    }

    private func append(_ rows: Rows, to writer: inout CSVWriter) throws {
        for row in 0..<rows.count {
            for column in columns.indices {
                switch try rows.cell(row: row, column: column) {
                case .null: writer.field("")
                case .text(let text): writer.field(utf8: text)
                case .integer(let number): writer.field(Int(number))
                case .json, .bool, .uuid, .double, .timestamp, .day:
                    throw PostgresError.unexpected(
                        column: columns[column], "is neither text nor a number")
                }
            }
            writer.endRecord()
        }
    }
}
