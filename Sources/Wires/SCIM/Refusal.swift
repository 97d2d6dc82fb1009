import API
import HTTPServer
import HTTPWire
import JSONBytes

/// A refusal in the format of the standard (RFC 7644 section 3.12).
struct Refusal: AnsweredError {
    /// Why, in the standard's words.
    enum Kind: String, CaseIterable {
        case invalidFilter, tooMany, uniqueness, mutability, invalidSyntax, invalidPath, noTarget
        case invalidValue
    }

    let status: Int
    let kind: Kind?
    let detail: String
    var headers: [ResponseField] = []

    init(_ status: Int, _ kind: Kind? = nil, _ detail: String) {
        self.status = status
        self.kind = kind
        self.detail = detail
    }

    /// A value that cannot be stored.
    ///
    /// - Parameter attribute: as the client names it.
    static func value(_ attribute: String, _ why: String) -> Refusal {
        Refusal(400, .invalidValue, "\(attribute): \(why)")
    }

    static func syntax(_ detail: String) -> Refusal { Refusal(400, .invalidSyntax, detail) }

    static let notFound = Refusal(404, nil, "The resource does not exist, or you may not see it.")

    static let changed = Refusal(
        412, nil, "The resource was changed since you read it. Read it again and decide.")

    /// A problem of any call.
    init(_ problem: Problem) {
        status = problem.status == 422 ? 400 : problem.status
        kind =
            switch problem.code {
            case "managed_id_taken": .uniqueness
            case "malformed_json", "missing_body": .invalidSyntax
            case "invalid_parameter", "invalid_body": .invalidValue
            default: nil
            }
        let mistake = problem.errors.first.map { error in
            error.pointer.isEmpty ? error.detail : "\(error.pointer.dropFirst()): \(error.detail)"
        }
        // Clients show the detail alone.
        detail =
            mistake
            ?? [problem.title, problem.detail].compactMap(\.self).joined(separator: " ")
        headers = problem.headers
    }

    /// The error as a document; also a part of an answer of `Bulk`.
    var document: JSONValue {
        var object = JSONObject([
            ("schemas", [.text(Self.schema)]), ("status", .text(String(status))),
        ])
        if let kind { object["scimType"] = .text(kind.rawValue) }
        object["detail"] = .text(detail)
        return .object(object)
    }

    var response: Response {
        var response = Response.scim(document, status: status)
        response.headers += headers
        return response
    }

    private static let schema = "urn:ietf:params:scim:api:messages:2.0:Error"
}

// MARK: For the API document

extension Refusal {
    private static let shape = Shape.fields(
        "ScimError",
        [
            .required("schemas", .array(.text(1...200), count: 1...1)),
            .required("status", .text(3...3)),
            .optional("scimType", .word(Kind.allCases.map(\.rawValue))),
            .required("detail", .text(1...4000)),
        ])

    /// The refusals that a call may answer with.
    static func answers(_ more: [(status: Int, meaning: String)] = []) -> [Operation.Answer] {
        func answer(_ status: Int, _ meaning: String) -> Operation.Answer {
            .document(meaning, SCIM.mediaType, shape, status: status)
        }
        return [
            answer(400, "The request is wrong; detail says where."),
            answer(401, "The access token is missing or not valid.").challengingCallers,
            answer(403, "Your token may not do this."),
            answer(413, "The body is too large."), answer(415, "The body is not JSON.").namingForms,
            answer(412, "The resource has another version than If-Match names."),
            answer(429, "You asked for too much in a short time.").retryable,
            answer(500, "Something is wrong on our side."),
            answer(503, "It cannot be done right now.").retryable,
        ] + more.map { answer($0.status, $0.meaning) }
    }
}

extension Response {
    /// A document of the standard.
    static func scim(_ value: JSONValue, status: Int = 200) -> Response {
        Response(
            status,
            headers: [
                ResponseField("Content-Type", SCIM.mediaType),
                ResponseField("Cache-Control", "private, no-cache"),
            ], body: .bytes(value.bytes))
    }
}
