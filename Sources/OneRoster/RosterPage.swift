import API
import Crypto
import HTTPServer
import HTTPWire
import JSONBytes
import Postgres
import School

/// What the database returned of a collection, as the answer to a request.
struct RosterPage {
    let collection: RosterCollection
    let query: RosterQuery
    let rows: Rows
    let edition: Edition
    /// The URL by which the client knows this server.
    let server: String

    /// A page of the collection.
    func response(to request: Request) throws -> Response {
        let objects = try rows.filter { try !$0.isNull("place") }
        var writer = JSONWriter(reserving: 256 + objects.count * query.fields.count * 60)
        writer.beginObject()
        writer.key(collection.keys.several)
        writer.beginArray()
        for row in objects { try write(row, into: &writer) }
        writer.endArray()
        writer.endObject()
        var response = try answer(writer.bytes)
        let last = query.isByID ? try objects.last?.text("page_key") : nil
        // Where a page begins after an object, what came before may be less by now than the offset says.
        let total = try rows[0].int("total")
        let isMore =
            query.position == nil
            ? query.offset + query.limit < total : objects.count == query.limit
        if let link = link(of: request, total: total, next: isMore, after: last) {
            response.headers.append(link)
        }
        return response
    }

    /// The one object of the page; 404 if there is none.
    func single() throws -> Response {
        guard try !rows[0].isNull("place") else { throw StatusInfo.unknownObject }
        var writer = JSONWriter(reserving: 1000)
        writer.beginObject()
        writer.key(collection.keys.one)
        try write(rows[0], into: &writer)
        writer.endObject()
        return try answer(writer.bytes)
    }

    private func write(_ row: Row, into writer: inout JSONWriter) throws {
        writer.beginObject()
        let root = ReferenceRoot(server: server, edition: edition)
        for field in query.fields { try field.write(row, root: root, into: &writer) }
        writer.endObject()
    }

    /// Its ETag is the revision of the roster; of what has no revision, it is made from the answer.
    private func answer(_ bytes: [UInt8]) throws -> Response {
        let total = String(try rows[0].int("total"))
        let revision = try rows[0].optionalText("revision")
        let tag = revision ?? SHA256.digest(Array(total.utf8) + bytes).description
        var headers = [
            ResponseField("Content-Type", "application/json"),
            ResponseField("Cache-Control", "private, no-cache"),
            ResponseField("X-Total-Count", total), ResponseField("ETag", "\"\(tag)\""),
        ]
        if let revision { headers.append(ResponseField("Roster-Revision", revision)) }
        return Response(200, headers: headers, body: .bytes(bytes))
    }

    /// The pages around this one (RFC 8288); `nil` if this page is all there is. The next page begins after the last
    /// object of this one, so that nothing is missed when objects before it are removed meanwhile.
    ///
    /// - Parameters:
    ///   - isMore: whether there may be a next page.
    ///   - last: the sourcedId of the last object, if the objects are in that order.
    private func link(
        of request: Request, total: Int, next isMore: Bool, after last: String?
    ) -> ResponseField? {
        guard total > query.limit || query.offset > 0 || isMore else { return nil }
        var pages: [(name: String, offset: Int, last: String?)] = [("first", 0, nil)]
        if query.offset > 0 { pages.append(("prev", max(0, query.offset - query.limit), nil)) }
        if isMore { pages.append(("next", query.offset + query.limit, last)) }
        pages.append(("last", max(0, total - 1) / query.limit * query.limit, nil))
        let links = pages.map { page in
            let target = request.target(offset: page.offset, limit: query.limit, after: page.last)
            return "<\(server)\(target)>; rel=\"\(page.name)\""
        }
        return ResponseField("Link", links.joined(separator: ", "))
    }
}

extension Request {
    /// The path and query of this request for another page.
    fileprivate func target(offset: Int, limit: Int, after last: String?) -> String {
        let items =
            http.query.items.filter { !["offset", "limit", "after"].contains($0.name) }.map {
                "\(percentEncode($0.name))=\(percentEncode($0.value))"
            } + ["limit=\(limit)", "offset=\(offset)"]
            + (last.map { ["after=\(percentEncode($0))"] } ?? [])
        return "/" + http.segments.map(percentEncode).joined(separator: "/") + "?"
            + items.joined(separator: "&")
    }
}
