import API
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
        if let link = link(of: request, total: try rows[0].int("total")) {
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
        for field in query.fields {
            try field.write(row, root: server + edition.path, into: &writer)
        }
        writer.endObject()
    }

    private func answer(_ bytes: [UInt8]) throws -> Response {
        let revision = try rows[0].text("revision")
        return Response(
            200,
            headers: [
                ResponseField("Content-Type", "application/json"),
                ResponseField("Cache-Control", "private, no-cache"),
                ResponseField("X-Total-Count", String(try rows[0].int("total"))),
                ResponseField("Roster-Revision", revision),
                ResponseField("ETag", "\"\(revision)\""),
            ], body: .bytes(bytes))
    }

    /// The pages around this one (RFC 8288); `nil` if this page is all there is.
    private func link(of request: Request, total: Int) -> ResponseField? {
        guard total > query.limit || query.offset > 0 else { return nil }
        var offsets = [("first", 0)]
        if query.offset > 0 { offsets.append(("prev", max(0, query.offset - query.limit))) }
        if query.offset + query.limit < total {
            offsets.append(("next", query.offset + query.limit))
        }
        offsets.append(("last", max(0, total - 1) / query.limit * query.limit))
        let links = offsets.map { name, offset in
            "<\(server)\(request.target(offset: offset, limit: query.limit))>; rel=\"\(name)\""
        }
        return ResponseField("Link", links.joined(separator: ", "))
    }
}

extension Request {
    /// The path and query of this request for another page.
    fileprivate func target(offset: Int, limit: Int) -> String {
        let items =
            http.query.items.filter { !["offset", "limit"].contains($0.name) }.map {
                "\(percentEncode($0.name))=\(percentEncode($0.value))"
            } + ["limit=\(limit)", "offset=\(offset)"]
        return "/" + http.segments.map(percentEncode).joined(separator: "/") + "?"
            + items.joined(separator: "&")
    }
}
