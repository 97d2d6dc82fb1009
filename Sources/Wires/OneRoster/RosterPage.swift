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
    /// The revision at which the objects were counted.
    let countedAt: String?

    /// The revision of the roster that the rows are of; `nil` for what has none.
    func revision() throws -> String? { try rows[0].optionalText("revision") }

    /// How many objects the collection has, or had when they were counted last.
    func counted() throws -> Int { try rows[0].int("total") }

    var isEmpty: Bool {
        get throws { try rows[0].isNull("place") }
    }

    /// The rows of its objects. Without one there is a row all the same, for the number; and one more than wanted says that
    /// there is another page.
    var objects: Range<Int> {
        get throws { try isEmpty ? 0..<0 : 0..<min(rows.count, query.limit) }
    }

    private var isMore: Bool { rows.count > query.limit }

    /// How many objects all pages have. Behind a place, what came before may be less by now than the client counts: who
    /// reads until it has as many as this would miss the last ones.
    private func total() throws -> Int {
        let counted = try self.counted()
        guard query.place != nil else { return counted }
        return max(counted, query.offset + (try objects.count) + (isMore ? 1 : 0))
    }

    /// The work of students on it. Leaves out what the caller wrote itself, and what was removed.
    func work() throws -> [ViewedWork] {
        ViewedWork.shown(
            try objects.map { rows[$0] }.filter {
                try $0.optionalBool("page_is_work") == true
            }.map { row in
                (
                    taught: ClassID(try row.uuid("page_class_id")),
                    student: PersonID(try row.uuid("page_person_id"))
                )
            })
    }

    /// A page of the collection.
    ///
    /// - Parameter read: to where the client has read, if that is remembered.
    func answer(to request: Request, from read: ReadPlace?) throws -> RosterAnswer {
        let objects = try self.objects
        let revision = try self.revision()
        let isCounted = countedAt == revision
        // Whether everybody who asks for it at the revision gets this page.
        let isOfRevision =
            read.map { $0.revision == revision } ?? (query.place != nil || isCounted)
        let end: PageEnd? =
            objects.count == query.limit
            ? PageEnd(
                place: RosterPlace(
                    sourcedID: try rows[query.limit - 1].text("page_key"),
                    sortedBy: try rows[query.limit - 1].optionalText("page_sort")),
                revision: isOfRevision ? revision : nil) : nil
        return RosterAnswer(
            response: try response(
                to: request, objects, tagged: isOfRevision ? revision : nil,
                after: query.order.isByID ? end?.place.sourcedID : nil),
            revision: isOfRevision && isCounted && !query.showsFormer ? revision : nil, end: end)
    }

    private func response(
        to request: Request, _ objects: Range<Int>, tagged tag: String?, after last: String?
    ) throws -> Response {
        var writer = JSONWriter(reserving: 256 + objects.count * query.fields.count * 60)
        var fields = try fieldWriters()
        writer.beginObject()
        writer.key(collection.keys.several)
        writer.beginArray()
        for row in objects { try write(row, &fields, into: &writer) }
        writer.endArray()
        writer.endObject()
        var response = try response(writer.bytes, tagged: tag)
        response.headers.append(ResponseField("X-Count", String(objects.count)))
        // By this name, consumers of ClassLink notice that the roster has changed.
        if let revision = try revision() {
            response.headers.append(ResponseField("X-Perm-Rev", revision))
        }
        if let link = link(of: request, total: try total(), after: last) {
            response.headers.append(link)
        }
        return response
    }

    /// The one object of the page; 404 if there is none.
    func single() throws -> RosterAnswer {
        guard try !rows[0].isNull("place") else { throw StatusInfo.unknownObject }
        var writer = JSONWriter(reserving: 1000)
        writer.beginObject()
        writer.key(collection.keys.one)
        var fields = try fieldWriters()
        try write(0, &fields, into: &writer)
        writer.endObject()
        // What left the roster is forgotten without a change.
        let isActive = try rows[0].optionalBool("page_is_active") == true
        let revision = try self.revision()
        return RosterAnswer(
            response: try response(writer.bytes, tagged: revision),
            revision: isActive ? revision : nil)
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

    /// RFC 7234 section 5.5: the body has no place for it.
    private static let unknownField = ResponseField(
        "Warning",
        "299 - \"invalid_selection_field: fields names one that does not exist; all are here\"")

    /// - Parameter tag: the revision of the roster, as its ETag; `nil` for one that is made from the answer.
    private func response(_ bytes: [UInt8], tagged tag: String?) throws -> Response {
        let total = String(try self.total())
        let tag = tag ?? SHA256.digest(Array(total.utf8) + bytes).description
        var headers = [
            ResponseField("Content-Type", "application/json"),
            ResponseField("Cache-Control", "private, no-cache"),
            ResponseField("X-Total-Count", total), ResponseField("ETag", "\"\(tag)\""),
        ]
        if let revision = try revision() {
            headers.append(ResponseField("Roster-Revision", revision))
        }
        if query.hasUnknownField { headers.append(Self.unknownField) }
        return Response(200, headers: headers, body: .bytes(bytes))
    }

    /// The pages around this one (RFC 8288); `nil` if this page is all there is. The next page begins after the last
    /// object of this one, so that nothing is missed when objects before it are removed meanwhile.
    ///
    /// - Parameter last: the sourcedId of the last object, if the objects are in that order.
    private func link(
        of request: Request, total: Int, after last: String?
    ) -> ResponseField? {
        guard total > query.limit || query.offset > 0 || isMore else { return nil }
        var pages: [(name: String, offset: Int, last: String?)] = [("first", 0, nil)]
        if query.offset > 0 { pages.append(("prev", max(0, query.offset - query.limit), nil)) }
        if isMore { pages.append(("next", query.offset + query.limit, last)) }
        pages.append(("last", max(0, total - 1) / query.limit * query.limit, nil))
        let links = pages.map { page in
            let target = request.target(
                offset: page.offset, limit: query.limit, after: page.last)
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
    fileprivate func target(offset: Int, limit: Int, after last: String?) -> String {
        let own = ["offset", "limit", "after"]
        var items: [String] = http.query.items.filter { !own.contains($0.name) }.map {
            "\(percentEncode($0.name))=\(percentEncode($0.value))"
        }
        items += ["limit=\(limit)", "offset=\(offset)"]
        if let last { items.append("after=\(percentEncode(last))") }
        let path = http.segments.map(percentEncode).joined(separator: "/")
        return "/\(path)?\(items.joined(separator: "&"))"
    }
}
