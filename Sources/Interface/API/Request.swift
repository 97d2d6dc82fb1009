import EventLoop
import HTTPServer
import HTTPWire
import JSONBytes
import Values

/// A request for an operation: path, query and body, read as the operation declares them.
package struct Request: Sendable {
    package let http: HTTPRequest
    package let operation: Operation
    let parameters: PathParameters
    /// The caller's allowance, from which the items of the body are paid; `nil` if they are free.
    package var allowance: Allowance?
    /// Whether the list is counted instead of shown.
    package var isCounting = false
    /// How many items the list has in all pages, once that is counted.
    package var total: Int?

    package init(http: HTTPRequest, operation: Operation, parameters: PathParameters) {
        self.http = http
        self.operation = operation
        self.parameters = parameters
    }

    /// The id of the request, for logs and problems.
    package var id: String { http.requestID }

    // MARK: Path

    /// A segment of the path by its name in the operation's pattern.
    package func path(_ name: String) -> String { parameters[name] ?? "" }

    /// The languages of `Accept-Language` in lower case, the preferred one first (RFC 9110 section 12.5.4).
    package var languages: [String] {
        QualityList(http.headers, "accept-language", limit: 20).preferred.filter { $0 != "*" }
    }

    /// Refuses what no caller may send here: unknown parameters, an encoded body, or a key for a call that answers
    /// with a secret.
    ///
    /// Runs after authentication, so that strangers get 401 whatever else is wrong.
    package func checkForm() throws {
        if operation.keys == .refused, http.headers["idempotency-key"] != nil {
            throw Problem.secretsAreNotReplayed
        }
        try checkQuery()
        try checkContentCoding()
    }

    // MARK: Query

    /// Refuses undeclared parameters (except in calls whose standards ignore them), repeated ones, and values that do not
    /// match their shape.
    func checkQuery() throws {
        var seen: Set<String> = []
        for item in http.query.items {
            let (name, text) = (item.name, item.value)
            guard let parameter = operation.parameters.first(where: { $0.name == name }) else {
                if operation.leavesUnknownParameters { continue }
                throw Problem.invalidParameter(
                    name, "This call has no such parameter. Check the spelling.")
            }
            guard seen.insert(name).inserted || parameter.isRepeatable else {
                throw Problem.invalidParameter(name, "This parameter is given more than once.")
            }
            if let finding = parameter.shape.check(parameter.shape.value(ofQuery: text)).first {
                throw Problem.invalidParameter(name, finding.detail)
            }
        }
        for parameter in operation.parameters where parameter.isRequired {
            guard seen.contains(parameter.name) else {
                throw Problem.invalidParameter(parameter.name, "This parameter is required.")
            }
        }
    }

    /// The text of a parameter whose shape has been checked.
    package func query(_ name: String) -> String? {
        http.query[name]
    }

    /// Every value of a parameter that may be given several times.
    package func queries(_ name: String) -> [String] {
        http.query.items.filter { $0.name == name }.map(\.value)
    }

    package func queryInteger(_ name: String) -> Int? { query(name).flatMap { Int($0) } }
    package func queryBoolean(_ name: String) -> Bool? { query(name).map { $0 == "true" } }
    package func queryTimestamp(_ name: String) -> Timestamp? {
        query(name).flatMap { Timestamp($0) }
    }
    package func queryDay(_ name: String) -> Day? { query(name).flatMap { Day($0) } }

    // MARK: Body

    /// The body, checked against the operation's shape. Throws a problem that lists every mistake.
    package func body() async throws -> Fields {
        let shape =
            switch operation.body {
            case .json(let shape), .jsonIfAny(let shape): shape
            default: preconditionFailure("\(operation.path) declares no JSON body")
            }
        let value = try await json(maximumBytes: 1 << 20)
        let errors = shape.check(value)
        guard errors.isEmpty else { throw Problem.invalid(errors) }
        guard case .object(let object) = value else {
            throw Problem.invalid("", "wrong_type", "This should be an object.")
        }
        return Fields(object)
    }

    /// The same, for an optional body.
    package func bodyIfAny() async throws -> Fields {
        if http.body.announcedLength == 0 { return Fields(JSONObject()) }
        return try await body()
    }

    /// Takes from the caller's allowance what this request costs beyond its call; 429 if that is not left.
    package func pay(_ cost: Int) throws {
        guard let allowance, let loop = Loop.current else { return }
        try allowance.take(cost, now: loop.now)
    }

    /// The same for many things that the request does at once, beyond those that its body lists.
    package func pay(items count: Int) throws { try pay(RequestCost.cost(ofItems: count)) }

    /// The body as JSON of any shape; 429 if the caller's allowance does not cover its items.
    package func json(maximumBytes: Int) async throws -> JSONValue {
        let taken = operation.jsonMediaTypes
        if let type = http.headers["content-type"], !taken.contains(where: type.isMediaType) {
            throw Problem(
                415, "unsupported_media_type", "The body should be JSON.",
                detail: "Send it with Content-Type: \(taken[0]).",
                headers: [ResponseField("Accept", taken.joined(separator: ", "))])
        }
        let bytes = try await http.body.collect(upTo: maximumBytes)
        guard !bytes.isEmpty else {
            throw Problem(400, "missing_body", "This call needs a body.")
        }
        let value = try JSONValue(parsing: bytes)
        try pay(RequestCost.items(of: value))
        return value
    }
}

extension Operation {
    /// The media types of a JSON body. A `PATCH` follows RFC 7396 and also accepts its media type, unless the body is a
    /// document of another kind.
    var jsonMediaTypes: [String] {
        if case .document(let mediaTypes, _) = body { return mediaTypes }
        return method == .patch
            ? ["application/json", "application/merge-patch+json"] : ["application/json"]
    }

    /// Those of them that the API document describes: of a document, its own.
    var describedMediaTypes: [String] {
        if case .document(let mediaTypes, _) = body { return Array(mediaTypes.prefix(1)) }
        return jsonMediaTypes
    }
}

extension Shape {
    /// A query parameter as the JSON value that its shape checks.
    package func value(ofQuery text: String) -> JSONValue {
        switch self {
        case .integer, .number:
            (try? JSONValue(parsing: Array(text.utf8))) ?? .text(text)
        case .boolean: text == "true" ? true : text == "false" ? false : .text(text)
        default: .text(text)
        }
    }
}

extension String {
    /// Whether a Content-Type has this media type, whatever its parameters.
    package func isMediaType(_ mediaType: String) -> Bool {
        guard let first = split(separator: ";", maxSplits: 1).first else { return false }
        return first.trimmingWhitespace().lowercased() == mediaType
    }
}

extension Substring {
    fileprivate func trimmingWhitespace() -> Substring {
        var rest = self
        while rest.first == " " || rest.first == "\t" { rest.removeFirst() }
        while rest.last == " " || rest.last == "\t" { rest.removeLast() }
        return rest
    }
}
