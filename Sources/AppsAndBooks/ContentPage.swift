import API
import HTTPServer
import JSONBytes
import Postgres

/// A page of a list, which Apple's protocol counts from 0.
struct ContentPage: Sendable {
    /// Items on a page.
    static let size = 500

    let index: Int

    /// A page far behind the last one is refused when the items are counted.
    init(_ request: Request) {
        index = request.queryInteger("pageIndex") ?? 0
    }

    var offset: Int { index * Self.size }

    /// The list as an answer.
    ///
    /// - Parameters:
    ///   - key: the member that holds the items.
    ///   - total: how many items all pages have.
    func response(_ rows: Rows, key: String, total: Int, _ library: ContentLibrary) throws
        -> Response
    {
        let pages = max(1, (total + Self.size - 1) / Self.size)
        guard index < pages else { throw ContentRefusal(.pageOutOfRange) }
        var writer = JSONWriter(reserving: 512 + rows.count * 160)
        writer.beginObject()
        writer.key(key)
        writer.beginArray()
        for row in 0..<rows.count { try Self.write(rows, row: row, into: &writer) }
        writer.endArray()
        writer.key("currentPageIndex")
        writer.int(index)
        if index + 1 < pages {
            writer.key("nextPageIndex")
            writer.int(index + 1)
        }
        writer.key("size")
        writer.int(rows.count)
        writer.key("totalPages")
        writer.int(pages)
        writer.key("versionId")
        writer.text(library.versionID)
        for member in library.common.members {
            writer.key(member.key)
            member.value.write(into: &writer)
        }
        writer.endObject()
        return .json(writer.bytes)
    }

    /// Fields without a value are left out.
    private static func write(_ rows: Rows, row: Int, into writer: inout JSONWriter) throws {
        writer.beginObject()
        for (position, column) in rows.columns.enumerated() {
            guard try !rows[row].isNull(column) else { continue }
            try rows.writeMembers(row: row, columns: position..<position + 1, into: &writer)
        }
        writer.endObject()
    }

    // MARK: For the API document

    static let parameter = Operation.Parameter.optional(
        "pageIndex", .integer(0...1_000_000), "Which page; the first is 0.")

    static func answer(_ key: String, of item: ObjectShape, _ meaning: String) -> Operation.Answer {
        .json(
            meaning,
            .fields(
                "\(item.name)List",
                [
                    .required(key, .array(.object(item), count: 0...size)),
                    .required("currentPageIndex", .integer(0...1_000_000)),
                    .optional(
                        "nextPageIndex", .integer(1...1_000_000), "Absent on the last page."),
                    .required("size", .integer(0...size), "Items on this page."),
                    .required("totalPages", .integer(1...1_000_000)),
                    .required(
                        "versionId", .text(3...40),
                        "Changes with every write: if it differs between two pages, begin again."),
                ] + ContentLibrary.fields))
    }
}

/// From which change on a list is read. What changed up to five minutes before is listed again, so that nothing is
/// missed that was written at the same time.
struct ContentVersion: Sendable {
    let milliseconds: Int

    /// Reads a `versionId`, such as `1795469131283-6`.
    init(_ text: String) throws {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].utf8.count <= 15, let moment = Int(parts[0]), moment >= 0,
            let changes = Int(parts[1]), changes >= 0
        else { throw ContentRefusal(.badVersion) }
        milliseconds = moment
    }

    init?(_ request: Request) throws {
        guard let text = request.query("sinceVersionId") else { return nil }
        try self.init(text)
    }

    static let parameter = Operation.Parameter.optional(
        "sinceVersionId", .text(1...100),
        "Only what is new since the list had this version, and some minutes before.")
}

extension Statement {
    /// The moment of a version, less five minutes.
    static func since(_ version: ContentVersion) -> Statement {
        """
        to_timestamp(\(version.milliseconds) / 1000.0) - interval '5 minutes'
        """
    }
}
