import Crypto
import HTTPServer
import HTTPWire
import JSONBytes
import Postgres
import Values

/// A page of a list with keyset pagination: where it begins and how many items it may have.
///
/// The token holds the sort key of the last item returned and a digest of the filters. It therefore survives inserts
/// and is refused with other filters.
package struct Page: Sendable {
    /// How many items the client asked for, 1 to 1000.
    package let limit: Int
    /// The sort key of the last item of the previous page; empty on the first page.
    package let after: [String]
    fileprivate let filters: String
    /// How many all pages have, if a page up to this one was asked to count them.
    fileprivate var total: Int?
    /// Whether the items are counted instead of shown.
    fileprivate var isCounting = false

    /// The member of an answer that says how many all pages have.
    package static let countMember = PageMember.totalCount
    /// More than this is not counted.
    package static let mostCounted = PageMember.mostCounted

    /// One more than asked for, so that the result shows whether there is a next page.
    package var limitPlusOne: Int { limit + 1 }

    /// The part of the key at an index; `nil` on the first page.
    package func after(_ position: Int) -> String? {
        position < after.count ? after[position] : nil
    }

    package var isFirst: Bool { after.isEmpty }

    /// The id of the last item of the previous page, in lists ordered by id; `nil` on the first page.
    package func afterID() throws -> UUID? {
        try after(0).map { text in
            guard let id = UUID(text) else { throw Problem.foreignPageToken }
            return id
        }
    }

    /// The position of the last item of the previous page, in lists ordered by a number from 0 on; `nil` on the first page.
    package func afterNumber() throws -> Int? {
        try after(0).map { text in
            guard let number = Int(text), number >= 0 else { throw Problem.foreignPageToken }
            return number
        }
    }

    /// The statement of the list as it is asked: a list that is counted returns one row with the number.
    ///
    /// Nothing is read beyond `mostCounted` rows, because the statement is made with this page's limit.
    package func of(_ statement: Statement) -> Statement {
        guard isCounting else { return statement }
        return "select count(*) as total from (\(fragment: statement)) as counted"
    }

    /// Answers with the rows as a page. The sort key is read from the last item.
    ///
    /// - Parameters:
    ///   - columns: how many columns make an item, from the first; all but `version` when `nil`.
    ///   - key: the sort key of an item; by default, its `id`.
    package func response(
        _ rows: Rows, columns: Int? = nil,
        key: (Row) throws -> [String] = { [try $0.uuid("id").description] }, request: Request
    ) throws -> Response {
        if isCounting { return try Self.count(in: rows) }
        let columns = columns ?? rows.shownColumns
        var writer = JSONWriter(reserving: 256 + rows.count * columns * 40)
        writer.beginObject()
        writer.key(PageMember.items)
        writer.beginArray()
        for row in 0..<min(rows.count, limit) {
            try rows.writeJSON(row: row, columns: columns, into: &writer)
        }
        writer.endArray()
        var next: Next?
        if rows.count > limit {
            let following = self.next(after: try key(rows[limit - 1]), of: request)
            writer.key(PageMember.nextPageToken)
            writer.text(following.token)
            next = following
        }
        if let total, request.asksForCount {
            writer.key(Self.countMember)
            writer.int(total)
        }
        writer.endObject()
        var response = Response.json(writer.bytes)
        if let next { response.headers.append(next.link) }
        return response
    }

    private static func count(in rows: Rows) throws -> Response {
        guard let row = rows.first, rows.columns == ["total"] else {
            preconditionFailure("the statement of a list that can be counted goes through Page.of")
        }
        let total = min(try row.int("total"), mostCounted)
        return .json([countMember: .number(JSONNumber(Int64(total)))])
    }

    /// The page after this one, given the sort key of this page's last item.
    package func next(after key: [String], of request: Request) -> Next {
        let counted = total.map { "\(Page.countMark)\($0)" } ?? ""
        let document = JSONValue.array(([filters + counted] + key).map(JSONValue.text))
        let token = Base64.encodeURL(document.bytes)
        return Next(
            token: token,
            link: ResponseField("Link", "<\(request.target(pageToken: token))>; rel=\"next\""))
    }

    /// Stands in a page token before the number; a digest never contains it.
    fileprivate static let countMark: Character = "#"

    /// How a client asks for the page after this one.
    package struct Next: Sendable {
        package let token: String
        package let link: ResponseField
    }
}

extension Request {
    /// The page that the query asks for; 400 for a token of another list or other filters.
    package func page() throws -> Page {
        let filters = filterDigest()
        if isCounting {
            return Page(limit: Page.mostCounted, after: [], filters: filters, isCounting: true)
        }
        let limit = queryInteger("limit") ?? 100
        guard let token = query("pageToken") else {
            return Page(limit: limit, after: [], filters: filters, total: total)
        }
        guard let bytes = Base64.decodeURL(token), let value = try? JSONValue(parsing: bytes),
            let parts = value.array?.compactMap(\.text), parts.count > 1,
            // No key of ours has what PostgreSQL's texts cannot have.
            !parts.contains(where: { $0.utf8.contains(0) }),
            let head = parts[0].split(separator: Page.countMark, maxSplits: 1).first
        else {
            throw Problem.foreignPageToken
        }
        guard head == filters else {
            throw Problem.invalidParameter(
                "pageToken", "This page token belongs to a list with other filters.")
        }
        let counted = Int(parts[0].dropFirst(head.count + 1)).map {
            min(max($0, 0), Page.mostCounted)
        }
        return Page(
            limit: limit, after: Array(parts.dropFirst()), filters: filters, total: total ?? counted
        )
    }

    /// Whether a list that is ordered by time begins with the oldest.
    package var isOldestFirst: Bool {
        query(Operation.Parameter.orderByTime.name) == "oldest"
    }

    /// Whether the answer says how many items all pages have.
    package var asksForCount: Bool {
        operation.presents(Operation.countParameter.name)
            && queryBoolean(Operation.countParameter.name) == true
    }

    /// Whether that has to be counted now: page tokens carry what was counted with the first page.
    package func needsCount() throws -> Bool {
        try asksForCount && page().total == nil
    }

    private func filterDigest() -> String {
        let parts = http.query.items.filter {
            $0.name != "limit" && $0.name != "pageToken" && !operation.presents($0.name)
        }
        .map { "\($0.name)=\($0.value)" }.sorted()
        let text = ([operation.path] + http.segments + parts).joined(separator: "\n")
        return Base64.encodeURL(Array(SHA256.digest(Array(text.utf8)).bytes.prefix(9)))
    }

    /// The path and query of this request with another page token.
    func target(pageToken: String) -> String {
        var items = http.query.items.filter { $0.name != "pageToken" }
        items.append(QueryItem(name: "pageToken", value: pageToken))
        let query = items.map { "\(percentEncode($0.name))=\(percentEncode($0.value))" }
        return "/" + http.segments.map(percentEncode).joined(separator: "/") + "?"
            + query.joined(separator: "&")
    }
}

/// Encodes everything but the unreserved characters of RFC 3986 as `%XX`.
package func percentEncode(_ text: String) -> String {
    var text = text
    var encoded: [UInt8] = []
    text.withUTF8 { appendPercentEncoded(UnsafeRawBufferPointer($0), to: &encoded) }
    return String(decoding: encoded, as: UTF8.self)
}

/// Appends text in UTF-8 with everything but the unreserved characters of RFC 3986 as `%XX`.
package func appendPercentEncoded(_ text: UnsafeRawBufferPointer, to encoded: inout [UInt8]) {
    let digits: StaticString = "0123456789ABCDEF"
    for byte in text {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
            UInt8(ascii: "_"), UInt8(ascii: "~"):
            encoded.append(byte)
        default:
            encoded.append(UInt8(ascii: "%"))
            encoded.append(digits.utf8Start[Int(byte >> 4)])
            encoded.append(digits.utf8Start[Int(byte & 15)])
        }
    }
}
