import Crypto
import HTTPServer
import HTTPWire
import JSONBytes
import Postgres
import School
import Values

/// A refusal in the words of the ClassKit Catalog API: `{id, code, message}` with 400 or 403.
struct CatalogError: Error {
    let status: Int
    let code: String
    let message: String
    var headers: [ResponseField] = []

    /// Too many tokens came from one address that no registered key verifies.
    static func tooManyRequests(retryAfterSeconds seconds: Int) -> CatalogError {
        CatalogError(
            status: 429, code: "TOO_MANY_REQUESTS",
            message: "Too many tokens of this address were wrong; try again later.",
            headers: [ResponseField("Retry-After", String(seconds))])
    }

    static func notAuthorized(_ message: String) -> CatalogError {
        CatalogError(status: 403, code: "NOT_AUTHORIZED", message: message)
    }

    static func invalidParameter(_ message: String) -> CatalogError {
        CatalogError(status: 400, code: "INVALID_PARAMETER", message: message)
    }

    static func invalidBody(_ message: String) -> CatalogError {
        CatalogError(status: 400, code: "INVALID_BODY", message: message)
    }

    static func parentNotFound(_ path: [String], _ locale: String) -> CatalogError {
        CatalogError(
            status: 400, code: "PARENT_NOT_FOUND",
            message: "The context \(describe(path)) in locale \(locale) has no parent there; "
                + "send the parent in the same call or before.")
    }

    static func contextNotFound(_ path: [String], _ locale: String) -> CatalogError {
        CatalogError(
            status: 400, code: "CONTEXT_NOT_FOUND",
            message: "There is no context \(describe(path)) in locale \(locale).")
    }

    static let tooManyChildren = CatalogError(
        status: 400, code: "TOO_MANY_CHILDREN",
        message: "A context has at most 2,000 children in a locale.")

    private static func describe(_ path: [String]) -> String {
        String(decoding: JSONValue.array(path.map(JSONValue.text)).bytes, as: UTF8.self)
    }

    var response: Response {
        var response = Response.json(
            ["id": .text(UUID.v7().description), "code": .text(code), "message": .text(message)],
            status: status)
        response.headers += headers
        return response
    }

    /// For the API document.
    static let answers: [Endpoint.Answer] = [
        .json("The call is wrong.", shape, status: 400),
        .json("The token is wrong, or not for this bundle id.", shape, status: 403),
        .json("Too many wrong tokens came from this address.", shape, status: 429)
            .retryable,
    ]

    private static let shape = Shape.fields(
        "CatalogError",
        [
            .required("id", .text(1...64), "Traces the error."),
            .required("code", .text(1...64)), .required("message", .text(1...4000)),
        ])

    /// Runs a call of the Catalog API and answers its refusals in its own words.
    static func answering(_ body: () async throws -> Response) async throws -> Response {
        do {
            return try await body()
        } catch let error as CatalogError {
            return error.response
        } catch let problem as Problem where problem.status < 500 && problem.status != 413 {
            return CatalogError.invalidBody(
                problem.errors.first.map { "\($0.pointer): \($0.detail)" } ?? problem.detail
                    ?? problem.title
            ).response
        }
    }
}
