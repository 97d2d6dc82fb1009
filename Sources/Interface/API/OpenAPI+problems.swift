import JSONBytes

/// A problem that calls answer for reasons common to all of them.
struct CommonProblem {
    let status: Int
    /// Its name in the API document.
    let name: String
    let meaning: String
    var headers: [Operation.Header] = []

    /// Ordered by status.
    static let all: [CommonProblem] = [
        CommonProblem(
            status: 400, name: "BadRequest",
            meaning: "A query parameter is wrong, or the body is not valid JSON."),
        CommonProblem(
            status: 401, name: "Unauthenticated",
            meaning: "There is no access token, or it is not valid.", headers: [.challenge]),
        CommonProblem(
            status: 403, name: "Forbidden",
            meaning:
                "You lack a right that this needs; `detail` says which."),
        CommonProblem(
            status: 404, name: "NotFound", meaning: "It does not exist, or you may not see it."),
        CommonProblem(
            status: 413, name: "BodyTooLarge", meaning: "The body is larger than this call takes."),
        CommonProblem(
            status: 415, name: "UnsupportedMediaType",
            meaning: "The body has another media type, or a `Content-Encoding`.",
            headers: [.accept, .acceptEncoding]),
        CommonProblem(
            status: 421, name: "Elsewhere",
            meaning:
                "This moved to another server. A new connection to the same host name leads there."),
        CommonProblem(
            status: 422, name: "InvalidBody",
            meaning: "Something in the body is wrong; `errors` says what and where."),
        CommonProblem(
            status: 503, name: "Unavailable",
            meaning: "It cannot be done right now; nothing was changed unless the detail says so.",
            headers: [.retryAfter]),
        CommonProblem(
            status: 507, name: "StorageFull",
            meaning: "The server's disk is full; nothing was saved."),
    ]

    /// The header fields of a problem with that status, for any call.
    static func headers(of status: Int) -> [Operation.Header] {
        switch status {
        case 416: [.contentRange]
        case 429: [.retryAfter, .rateLimitPolicy, .rateLimit]
        default: all.first { $0.status == status }?.headers ?? []
        }
    }

    /// The responses that operations refer to.
    static var components: JSONValue {
        .object(
            JSONObject(
                all.map {
                    ($0.name, OpenAPI.problem($0.meaning, $0.headers))
                }))
    }
}

extension OpenAPI {
    /// A response with a problem document.
    static func problem(_ meaning: String, _ headers: [Operation.Header]) -> JSONValue {
        var members: [(String, JSONValue)] = [("description", .text(meaning))]
        members.append(("headers", fields(headers + [.requestID])))
        members.append(
            (
                "content",
                ["application/problem+json": ["schema": ["$ref": "#/components/schemas/Problem"]]]
            ))
        return .object(JSONObject(members))
    }

    /// The header fields of a response.
    static func fields(_ headers: [Operation.Header]) -> JSONValue {
        .object(
            JSONObject(
                headers.map { header in
                    (
                        header.name,
                        [
                            "description": .text(header.meaning),
                            "required": .bool(header.isRequired), "schema": ["type": "string"],
                        ]
                    )
                }))
    }
}

extension Operation {
    /// Whether this call may answer with the problem.
    func mayMeet(_ problem: CommonProblem) -> Bool {
        let isKnown = if case .token = access { true } else { false }
        let (hasBody, isJSON): (Bool, Bool) =
            switch body {
            case .none: (false, false)
            case .json, .jsonIfAny, .document: (true, true)
            case .form, .stream: (true, false)
            }
        return switch problem.status {
        case 401, 403: isKnown
        case 404: path.contains("{")
        case 413, 415: hasBody
        case 422: isJSON
        default: true
        }
    }
}
