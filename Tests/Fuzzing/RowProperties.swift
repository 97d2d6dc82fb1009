import CLibpq
import Glibc
import Values

@testable import Postgres

/// Rows whose values are arbitrary bytes: every accessor returns a value or an error.
enum RowProperties {
    /// Reads a column of this type from a row.
    private struct Column: Sendable {
        let name: String
        let type: UInt32
        let read: @Sendable (Row) throws -> Void
    }

    private static let columns: [Column] = [
        Column(name: "text", type: 25) { _ = try $0.text("text") },
        Column(name: "bool", type: 16) { _ = try $0.bool("bool") },
        Column(name: "int2", type: 21) { _ = try $0.int("int2") },
        Column(name: "int4", type: 23) { _ = try $0.int("int4") },
        Column(name: "int8", type: 20) { _ = try $0.int("int8") },
        Column(name: "float4", type: 700) { _ = try $0.double("float4") },
        Column(name: "float8", type: 701) { _ = try $0.double("float8") },
        Column(name: "numeric", type: 1700) { _ = try $0.optionalNumeric("numeric") },
        Column(name: "uuid", type: 2950) { _ = try $0.uuid("uuid") },
        Column(name: "timestamptz", type: 1184) { _ = try $0.timestamp("timestamptz") },
        Column(name: "date", type: 1082) { _ = try $0.day("date") },
        Column(name: "bytea", type: 17) { _ = try $0.bytes("bytea") },
        Column(name: "jsonb", type: 3802) { _ = try ($0.text("jsonb"), $0.bytes("jsonb")) },
        Column(name: "texts", type: 1009) { _ = try $0.textArray("texts") },
        Column(name: "uuids", type: 2951) { _ = try $0.uuidArray("uuids") },
        Column(name: "ints", type: 1007) { _ = try $0.intArray("ints") },
    ]

    /// Made once, as for a prepared statement.
    private static let columnSet = rows(of: UnsafeRawBufferPointer(start: nil, count: 0)).columnSet

    static func check(_ input: UnsafeRawBufferPointer) {
        let rows = rows(of: input, columns: columnSet)
        for column in columns { try? column.read(rows[0]) }
    }

    /// A result of one row, each of whose values is the same bytes.
    private static func rows(of bytes: UnsafeRawBufferPointer, columns set: Columns? = nil) -> Rows
    {
        guard let result = PQmakeEmptyPGresult(nil, PGRES_TUPLES_OK) else {
            fatalError("no memory for a result")
        }
        var descriptions = columns.map { column in
            PGresAttDesc(
                name: strdup(column.name), tableid: 0, columnid: 0, format: 1,
                typid: column.type, typlen: -1, atttypmod: -1)
        }
        PQsetResultAttrs(result, Int32(columns.count), &descriptions)
        for description in descriptions { free(description.name) }
        var value = bytes.map { CChar(bitPattern: $0) } + [0]
        for position in columns.indices {
            PQsetvalue(result, 0, Int32(position), &value, Int32(bytes.count))
        }
        return Rows(result: result, columns: set)
    }
}
