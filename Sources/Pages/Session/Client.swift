import HTTPServer
import HTTPWire
import JSONBytes

/// Asks the API inside the process, in the name of the person whose browser sent the request.
package struct Client: Sendable {
    /// What answers a call of the API.
    package typealias API = @Sendable (HTTPRequest) async -> HTTPResponse

    private let api: API
    private let outer: HTTPRequest
    private let token: String?
    private let language: Language

    init(_ api: @escaping API, for outer: HTTPRequest, token: String?, language: Language) {
        self.api = api
        self.outer = outer
        self.token = token
        self.language = language
    }

    var withoutToken: Client { with(token: nil) }

    func with(token: String?) -> Client {
        Client(api, for: outer, token: token, language: language)
    }

    /// The document at a path. Throws a `Refusal` for any status but 2xx.
    package func get(_ path: LocalPath) async throws -> JSONValue {
        try await send(.get, path)
    }

    /// The document at a path, and the entity tag of this version of it for `If-Match`.
    func getTagged(_ path: LocalPath) async throws -> (document: JSONValue, tag: String) {
        try await exchange(.get, path, nil, headers: [])
    }

    /// Sends a body, and returns the document of the answer; `null` for an answer without a body.
    ///
    /// Throws a `Refusal` for any status but 2xx.
    @discardableResult
    package func send(
        _ method: HTTPMethod, _ path: LocalPath, _ body: JSONValue? = nil,
        headers: [(name: String, value: String)] = []
    ) async throws -> JSONValue {
        try await exchange(method, path, body, headers: headers).document
    }

    private func exchange(
        _ method: HTTPMethod, _ path: LocalPath, _ body: JSONValue?,
        headers: [(name: String, value: String)]
    ) async throws -> (document: JSONValue, tag: String) {
        let json = [(name: "Content-Type", value: "application/json")]
        let answer = try await ask(
            method, path, headers: headers + (body == nil ? [] : json), body: body?.bytes ?? [])
        let bytes = try await answer.wholeBody()
        return (try document(bytes, of: answer), answer[header: "etag"] ?? "")
    }

    private func document(_ bytes: [UInt8], of answer: HTTPResponse) throws -> JSONValue {
        let document = bytes.isEmpty ? JSONValue.null : try? JSONValue(parsing: bytes)
        guard (200..<300).contains(answer.status), let document else {
            throw Refusal(answer, document ?? .null, requestID: outer.requestID)
        }
        return document
    }

    /// Sends a file while it arrives, and returns the document of the answer.
    func upload(_ file: SentFile, as type: String, to path: LocalPath) async throws -> JSONValue {
        let request = try HTTPRequest(
            method: .post, target: path.text,
            headers: fields + [(name: "Content-Type", value: type)],
            source: { try await file.next() }, requestID: outer.requestID,
            clientAddress: outer.clientAddress, isSecure: outer.isSecure)
        let answer = await api(request)
        note(request.standing)
        return try document(try await answer.wholeBody(), of: answer)
    }

    @discardableResult
    package func post(_ path: LocalPath, _ body: JSONValue? = nil) async throws -> JSONValue {
        try await send(.post, path, body)
    }

    @discardableResult
    package func put(_ path: LocalPath, _ body: JSONValue? = nil) async throws -> JSONValue {
        try await send(.put, path, body)
    }

    package func delete(_ path: LocalPath) async throws {
        try await send(.delete, path)
    }

    /// The answer as it is, for downloads that pass through.
    package func ask(
        _ method: HTTPMethod, _ path: LocalPath, headers: [(name: String, value: String)] = [],
        body: [UInt8] = []
    ) async throws -> HTTPResponse {
        let request = try HTTPRequest(
            method: method, target: path.text, headers: headers + fields, body: body,
            requestID: outer.requestID, clientAddress: outer.clientAddress,
            isSecure: outer.isSecure)
        outer.setWait { [weak request] in request?.secondsToWait }
        let answer = await api(request)
        note(request.standing)
        return answer
    }

    /// For the log line of the page, which may make several calls at once.
    private func note(_ standing: String?) {
        if let standing { outer.standing = standing }
    }

    /// The header fields of every call.
    private var fields: [(name: String, value: String)] {
        var fields: [(name: String, value: String)] = []
        if let token { fields.append((name: "Authorization", value: "Bearer \(token)")) }
        let accepted = outer.headers["accept-language"].map { ", \($0)" } ?? ""
        fields.append((name: "Accept-Language", value: language.rawValue + accepted))
        // Log lines of the call name the trace of the page.
        fields += outer.headers.all("traceparent").map { (name: "traceparent", value: $0) }
        if let host = outer.headers["host"] { fields.append((name: "Host", value: host)) }
        return fields
    }
}

/// A call that the API refused.
package struct Refusal: Error, Sendable {
    package let status: Int
    /// The stable code of the problem.
    package let code: String?
    package let detail: String?
    /// The codes of the fields that are wrong, by their JSON pointer.
    package let fields: [String: String]
    /// Seconds to wait before trying again.
    package let retryAfter: Int?
    /// The whole problem document.
    package let document: JSONValue
    package let requestID: String

    init(_ answer: HTTPResponse, _ document: JSONValue, requestID: String) {
        status = answer.status
        code = document["code"]?.text
        detail = document["detail"]?.text
        var fields: [String: String] = [:]
        for error in document["errors"]?.array ?? [] {
            guard let pointer = error["pointer"]?.text else { continue }
            fields[pointer] = error["code"]?.text ?? ""
        }
        self.fields = fields
        retryAfter = answer[header: "retry-after"].flatMap { Int($0) }
        self.document = document
        self.requestID = requestID
    }

    /// What says how long to wait, if the API said it.
    var waiting: [ResponseField] {
        retryAfter.map { [ResponseField("Retry-After", "\($0)")] } ?? []
    }
}
