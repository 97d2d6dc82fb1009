import CSV
import HTTPServer
import HTTPWire
import JSONBytes
import School

/// A report as CSV: one line for each student at each task, with the averages of the task repeated.
///
/// Made from the document, so that the two cannot differ.
enum ReportTable {
    private static let taskFields = ["taskId", "title", "primaryKind", "mixedPrimaryKinds"]
    private static let cellFields = [
        "personId", "givenName", "familyName", "openedAt", "doneAt", "attempts", "progress",
        "durationSeconds", "late", "progressOff",
    ]
    private static let itemFields = [
        "kind", "identifier", "title", "score", "maxScore", "quantity", "value", "valueType",
    ]
    private static let averageFields = [
        "progress", "durationSeconds", "score", "quantity", "positiveShare", "studentsWithData",
    ]

    static func response(_ document: [UInt8]) throws -> Response {
        let report = try JSONValue(parsing: document)
        return Response(
            200,
            headers: [
                ResponseField("Content-Type", "text/csv; charset=utf-8; header=present"),
                ResponseField("Cache-Control", "no-store"),
                ResponseField("Content-Disposition", "attachment; filename=\"report.csv\""),
            ],
            body: .bytes(bytes(of: report)))
    }

    /// RFC 4180, with texts that a spreadsheet would run made harmless.
    private static func bytes(of report: JSONValue) -> [UInt8] {
        var style = CSVWriter.Style.plain
        style.endsLinesWithReturn = true
        style.disarmsFormulas = true
        var writer = CSVWriter(style: style)
        writer.record(
            ["taskId", "taskTitle", "primaryKind", "mixedPrimaryKinds"] + cellFields
                + prefixed("primaryItem", itemFields) + prefixed("classAverage", averageFields))
        for task in report["tasks"]?.array ?? [] {
            for student in task["students"]?.array ?? [] {
                writer.fields(taskFields, of: task)
                writer.fields(cellFields, of: student)
                writer.fields(itemFields, of: student["primaryItem"] ?? nil)
                writer.fields(averageFields, of: task["classAverage"] ?? nil)
                writer.endRecord()
            }
        }
        return writer.take()
    }

    /// Names of nested fields as names of columns: `primaryItemScore`.
    private static func prefixed(_ prefix: String, _ names: [String]) -> [String] {
        names.map { prefix + $0.prefix(1).uppercased() + $0.dropFirst() }
    }
}

extension CSVWriter {
    /// Appends members of an object; what is absent or null becomes an empty value.
    fileprivate mutating func fields(_ names: [String], of object: JSONValue) {
        for name in names {
            switch object[name] {
            case .text(let text)?: field(text)
            case .bool(let value)?: field(value ? "true" : "false")
            case .number(let number)?: field(number.double)
            default: field("")
            }
        }
    }
}
