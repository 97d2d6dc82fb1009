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

    /// The revision of the roster that the rows are of; `nil` for what has none.
    func revision() throws -> String? { try rows[0].optionalText("revision") }

    /// The same if the single object of the page is in the roster.
    func revisionOfActive() throws -> String? {
        try rows[0].optionalBool("page_is_active") == true ? revision() : nil
    }

    /// How many objects there are in all pages.
    func total() throws -> Int { try rows[0].int("total") }

    var isEmpty: Bool {
        get throws { try rows[0].isNull("place") }
    }

    /// The work of students on it. Leaves out what the caller wrote itself, and what was removed.
    func work() throws -> [ViewedWork] {
        ViewedWork.shown(
            try rows.filter { try $0.optionalBool("page_is_work") == true }.map { row in
                (
                    taught: ClassID(try row.uuid("page_class_id")),
                    student: PersonID(try row.uuid("page_person_id"))
                )
            })
    }

    /// A page of the collection.
    func response(to request: Request) throws -> Response {
        // Without objects there is one row all the same, for the total.
        let objects = try rows[0].isNull("place") ? rows[..<0] : rows[...]
        var writer = JSONWriter(reserving: 256 + objects.count * query.fields.count * 60)
        var fields = try fieldWriters()
        writer.beginObject()
        writer.key(collection.keys.several)
        writer.beginArray()
        for row in objects.indices { try write(row, &fields, into: &writer) }
        writer.endArray()
        writer.endObject()
        var response = try answer(writer.bytes)
        response.headers.append(ResponseField("X-Count", String(objects.count)))
        // By this name, consumers of ClassLink notice that the roster has changed.
        if let revision = try revision() {
            response.headers.append(ResponseField("X-Perm-Rev", revision))
        }
        let last = query.isByID ? try objects.last?.text("page_key") : nil
        // Where a page begins after an object, what came before may be less by now than the offset says.
        let total = try self.total()
        let isMore =
            query.position == nil
            ? query.offset + query.limit < total : objects.count == query.limit
        if let link = link(
            of: request, total: total, next: isMore, after: last, in: try revision())
        {
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
        var fields = try fieldWriters()
        try write(0, &fields, into: &writer)
        writer.endObject()
        return try answer(writer.bytes)
    }

    private func fieldWriters() throws -> [FieldWriter] {
        let root = ReferenceRoot(server: server, edition: edition)
        return try query.fields.map { try FieldWriter($0, of: rows, root: root) }
    }

    private func write(
        _ row: Int, _ fields: inout [FieldWriter], into writer: inout JSONWriter
    ) throws {
        writer.beginObject()
        for field in fields.indices { try fields[field].write(row: row, into: &writer) }
        writer.endObject()
    }

    /// Its ETag is the revision of the roster; of what has no revision, it is made from the answer.
    private func answer(_ bytes: [UInt8]) throws -> Response {
        let total = String(try self.total())
        let revision = try self.revision()
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
    ///   - revision: of which the pages are.
    private func link(
        of request: Request, total: Int, next isMore: Bool, after last: String?,
        in revision: String?
    ) -> ResponseField? {
        guard total > query.limit || query.offset > 0 || isMore else { return nil }
        var pages: [(name: String, offset: Int, last: String?)] = [("first", 0, nil)]
        if query.offset > 0 { pages.append(("prev", max(0, query.offset - query.limit), nil)) }
        if isMore { pages.append(("next", query.offset + query.limit, last)) }
        pages.append(("last", max(0, total - 1) / query.limit * query.limit, nil))
        let links = pages.map { page in
            // The first page begins anew.
            let target = request.target(
                offset: page.offset, limit: query.limit, after: page.last,
                in: page.name == "first" ? nil : revision)
            return "<\(server)\(target)>; rel=\"\(page.name)\""
        }
        return ResponseField("Link", links.joined(separator: ", "))
    }
}

extension Request {
    /// Path and query, both encoded, so that no two requests look alike.
    var wholeTarget: String { path(with: http.query.items) }

    /// The path with some of its parameters, both encoded.
    func path(with isWanted: (String) -> Bool) -> String {
        path(with: http.query.items.filter { isWanted($0.name) })
    }

    /// The path, and the filter if there is one: what the number of objects depends on.
    func path(withFilter filter: String?) -> String {
        path(with: filter.map { [QueryItem(name: "filter", value: $0)] } ?? [])
    }

    private func path(with items: [QueryItem]) -> String {
        "/" + http.segments.map(percentEncode).joined(separator: "/") + "?"
            + items.map { "\(percentEncode($0.name))=\(percentEncode($0.value))" }
            .joined(separator: "&")
    }

    /// The path and query of this request for another page.
    fileprivate func target(
        offset: Int, limit: Int, after last: String?, in revision: String?
    ) -> String {
        let own = ["offset", "limit", "after", "revision"]
        var items: [String] = http.query.items.filter { !own.contains($0.name) }.map {
            "\(percentEncode($0.name))=\(percentEncode($0.value))"
        }
        items += ["limit=\(limit)", "offset=\(offset)"]
        if let last { items.append("after=\(percentEncode(last))") }
        if let revision { items.append("revision=\(percentEncode(revision))") }
        let path = http.segments.map(percentEncode).joined(separator: "/")
        return "/\(path)?\(items.joined(separator: "&"))"
    }
}
