import HTTPServer
import HTTPWire

extension Request {
    /// Answers 412 unless the preconditions of a write match the current version (RFC 9110 section 13.2.2):
    /// `If-Match` first, then `If-None-Match`. There are no modification dates.
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

    /// Answers 412 if `If-None-Match` matches the current tag, as `*` does.
    package func checkNoneMatch(_ tag: String) throws {
        if let unwanted = EntityTags(http.headers, "if-none-match"), unwanted.matchWeakly(tag) {
            throw Problem.isThere
        }
    }

    /// The fields that an answer without content still has (RFC 9110 section 15.4.5).
    private static let ofUnchanged: Set<String> = ["Cache-Control", "ETag", "Vary"]

    /// The answer to a read after its preconditions and its range: 412, 304, 206, 416, or unchanged.
    ///
    /// Preconditions are ignored unless the answer is a success (RFC 9110 section 13.2.1).
    package func conditioned(_ response: Response) throws -> Response {
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

    /// A part of an answer with `Accept-Ranges`, if `Range` asks for one and `If-Range` allows it.
    private func ranged(_ response: Response, _ tag: String?) throws -> Response {
        guard response.headers.contains(where: { $0.name == "Accept-Ranges" }),
            let length = response.divisibleLength
        else { return response }
        // A date never matches: there are no modification dates (RFC 9110 section 13.1.5).
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

    /// Answers 415 for a body with a content coding, and says that none is accepted (RFC 9110 section 12.5.3).
    func checkContentCoding() throws {
        if case .none = operation.body { return }
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
    /// The length of the body, if parts of it can be sent.
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

    /// - Parameter length: the length of the whole body in bytes.
    static func rangeNotSatisfiable(length: Int) -> Problem {
        Problem(
            416, "range_not_satisfiable", "There is nothing in this range.",
            headers: [
                ResponseField(
                    "Content-Range", RangeRequest.contentRange(unsatisfiedIn: length))
            ])
    }
}
