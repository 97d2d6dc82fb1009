import HTTPServer
import HTTPWire

extension Request {
    /// Refuses with 412 unless the preconditions of a write hold for what is there now (RFC 9110 section
    /// 13.2.2): `If-Match` first, then `If-None-Match`. There are no dates of modification.
    package func checkMatch(version: Int) throws {
        if let wanted = EntityTags(http.headers, "if-match"), !wanted.match(version: version) {
            throw Problem.preconditionFailed
        }
        if let unwanted = EntityTags(http.headers, "if-none-match"),
            unwanted.match(version: version)
        {
            throw Problem.isThere
        }
        try checkNoneMatch(ETag(version: version).text)
    }

    /// Refuses with 412 where `If-None-Match` names what is there, as `*` does.
    package func checkNoneMatch(_ tag: String) throws {
        if let unwanted = EntityTags(http.headers, "if-none-match"), unwanted.matchWeakly(tag) {
            throw Problem.isThere
        }
    }

    /// What an answer without content still tells of it (RFC 9110 section 15.4.5).
    private static let ofUnchanged: Set<String> = ["Cache-Control", "ETag", "Vary"]

    /// The answer to a read as its preconditions and its range want it: 412, 304, 206, 416, or as it is.
    ///
    /// Preconditions are not looked at where the answer is none of success (RFC 9110 section 13.2.1).
    func conditioned(_ response: Response) throws -> Response {
        guard response.status == 200, http.method == .get || http.method == .head else {
            return response
        }
        let tag = response.headers.first { $0.name == "ETag" }?.value
        if let wanted = EntityTags(http.headers, "if-match"), !wanted.matchStrongly(tag) {
            throw Problem.preconditionFailed
        }
        if let known = EntityTags(http.headers, "if-none-match"), known.matchWeakly(tag) {
            return Response(
                304, headers: response.headers.filter { Self.ofUnchanged.contains($0.name) })
        }
        return try http.method == .get ? ranged(response, tag) : response
    }

    /// A part of an answer that says `Accept-Ranges`, where `Range` asks for one and `If-Range` allows it.
    private func ranged(_ response: Response, _ tag: String?) throws -> Response {
        guard response.headers.contains(where: { $0.name == "Accept-Ranges" }),
            let length = response.divisibleLength
        else { return response }
        // A date never holds: there are none of modification (RFC 9110 section 13.1.5).
        if let condition = http.headers["if-range"], condition != tag { return response }
        switch RangeRequest(http.headers.all("range"), of: length) {
        case .everything: return response
        case .unsatisfiable: throw Problem.rangeNotSatisfiable(length: length)
        case .part(let part):
            let range = RangeRequest.contentRange(of: part, in: length)
            return Response(
                206, headers: response.headers + [ResponseField("Content-Range", range)],
                body: response.body(of: part))
        }
    }

    /// Refuses a body in a content coding with 415 and says that none is taken (RFC 9110 section 12.5.3).
    func checkContentCoding() throws {
        if case .none = endpoint.body { return }
        let codings = http.headers.list("content-encoding")
        guard codings.allSatisfy({ $0.lowercased() == "identity" }) else {
            throw Problem(
                415, "unsupported_content_coding", "The body must not be compressed or encoded.",
                detail: "Send it without Content-Encoding.",
                headers: [ResponseField("Accept-Encoding", "identity")])
        }
    }
}

extension Response {
    /// How long the body is, where parts of it can be sent.
    fileprivate var divisibleLength: Int? {
        switch body {
        case .bytes(let bytes): bytes.count
        case .stream(let length, _): part == nil ? nil : length
        case .none: nil
        }
    }

    fileprivate func body(of range: Range<Int>) -> HTTPResponse.Body {
        if case .bytes(let bytes) = body { return .bytes(Array(bytes[range])) }
        return part?(range) ?? body
    }
}

extension Problem {
    package static let preconditionFailed = Problem(
        412, "precondition_failed", "It changed since you read it.",
        detail: "The ETag in If-Match is not the current one. Read it again and decide.")

    /// `If-None-Match: *` asks to create and never to replace.
    package static let isThere = Problem(
        412, "precondition_failed", "It exists already.",
        detail: "If-None-Match names what is there; with * the call creates and never replaces.")

    /// - Parameter length: of the whole, in bytes.
    static func rangeNotSatisfiable(length: Int) -> Problem {
        Problem(
            416, "range_not_satisfiable", "There is nothing in this range.",
            headers: [
                ResponseField(
                    "Content-Range", RangeRequest.contentRange(unsatisfiedIn: length))
            ])
    }
}
