import HTTPServer
import HTTPWire
import JSONBytes
import Postgres

/// What a handler returns.
package struct Response: Sendable {
    package var status: Int
    package var headers: [ResponseField]
    package var body: HTTPResponse.Body
    /// Makes a part of a body that is a stream of known length, for `Range`.
    package var part: (@Sendable (Range<Int>) -> HTTPResponse.Body)?

    package init(
        _ status: Int, headers: [ResponseField] = [], body: HTTPResponse.Body = .none
    ) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// 204.
    package static let noContent = Response(204)

    /// A JSON document that is ready to be sent.
    package static func json(_ bytes: [UInt8], status: Int = 200) -> Response {
        json(bytes, status: status, cache: "no-store")
    }

    private static func json(
        _ bytes: [UInt8], status: Int, cache: String, _ more: ResponseField? = nil
    ) -> Response {
        var headers: [ResponseField] = []
        // With capacity for what is added on the way out.
        headers.reserveCapacity(5)
        headers.append(ResponseField("Content-Type", "application/json"))
        headers.append(ResponseField("Cache-Control", cache))
        if let more { headers.append(more) }
        return Response(status, headers: headers, body: .bytes(bytes))
    }

    package static func json(_ value: JSONValue, status: Int = 200) -> Response {
        var writer = JSONWriter()
        value.write(into: &writer)
        return .json(writer.bytes, status: status)
    }

    /// The first row as an object; 404 if there is none.
    ///
    /// A last column named `version` becomes the ETag and is not part of the object.
    ///
    /// - Parameter columns: how many columns make the object, from the first; all but `version` when `nil`.
    package static func object(
        _ rows: Rows, columns: Int? = nil, status: Int = 200
    ) throws -> Response {
        guard rows.count > 0 else { throw Problem.notFound }
        var writer = JSONWriter(reserving: 480)
        try rows.writeJSON(row: 0, columns: columns ?? rows.shownColumns, into: &writer)
        guard rows.columns.last == "version" else { return .json(writer.bytes, status: status) }
        let version = try rows[0].int("version")
        return .json(
            writer.bytes, status: status, cache: "private, no-cache",
            ResponseField("ETag", ETag(version: version).text))
    }

    /// The first row as an object with a secret that only this answer tells, as its last member; 404 if there is no row.
    /// No cache may keep it. A last column named `version` becomes the ETag.
    package static func object(
        _ rows: Rows, secret: (member: String, text: String), status: Int = 200
    ) throws -> Response {
        guard let row = rows.first else { throw Problem.notFound }
        var writer = JSONWriter()
        writer.beginObject()
        try rows.writeMembers(row: 0, columns: rows.shownColumns, into: &writer)
        writer.key(secret.member)
        writer.text(secret.text)
        writer.endObject()
        var response = Response.json(writer.bytes, status: status)
        let tag = ETag(version: try row.int("version")).text
        response.headers.append(ResponseField("ETag", tag))
        return response
    }

    /// The number in the answer to a request that counts a list.
    package var counted: Int? {
        guard case .bytes(let bytes) = body else { return nil }
        return (try? JSONValue(parsing: bytes))?[Page.countMember]?.int64.map { Int($0) }
    }

    /// The same answer, in a form chosen by this field of the request (RFC 9110 section 12.5.5).
    package func varying(by field: String) -> Response {
        var response = self
        response.headers.append(ResponseField("Vary", field))
        return response
    }

    /// The same answer, worded for the request's languages; each wording has its own tag.
    ///
    /// - Parameter rows: what the answer was made from; their last column is `version` if it has a tag.
    package func worded(for request: Request, _ rows: Rows) throws -> Response {
        var response = varying(by: "Accept-Language")
        if let index = response.headers.firstIndex(where: { $0.name == "ETag" }) {
            let tag = ETag(version: try rows[0].int("version"), languages: request.languages)
            response.headers[index] = ResponseField("ETag", tag.text)
        }
        return response
    }

    /// The same answer with the `Location` of the new resource.
    package func located(at path: String) -> Response {
        var response = self
        response.headers.append(ResponseField("Location", path))
        return response
    }
}

extension Rows {
    /// How many columns an answer shows: all but a last one named `version`.
    package var shownColumns: Int { columns.last == "version" ? columns.count - 1 : columns.count }
}
