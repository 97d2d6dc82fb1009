import API
import Crypto
import HTTPServer
import HTTPWire
import JSONBytes
import Postgres
import School
import Values

/// An error in the format of the ClassKit Catalog API: `{id, code, message}` with 400 or 403.
struct CatalogError: AnsweredError {
    let status: Int
    let code: String
    let message: String
    var headers: [ResponseField] = []

    /// Too many tokens from an address that no key verifies, or too many pictures waiting to be read.
    static func tooManyRequests(_ message: String, retryAfterSeconds seconds: Int) -> CatalogError {
        CatalogError(
            status: 429, code: "TOO_MANY_REQUESTS", message: message,
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

    static let tooManyContexts = CatalogError(
        status: 400, code: "TOO_MANY_CONTEXTS", message: "A call takes at most 200 contexts.")

    static let developmentIsOff = CatalogError(
        status: 400, code: "DEVELOPMENT_IS_OFF",
        message: "The development environment of this organization is off; turn it on with PUT.")

    static func contextNotFound(_ path: [String], _ locale: String) -> CatalogError {
        CatalogError(
            status: 400, code: "CONTEXT_NOT_FOUND",
            message: "There is no context \(describe(path)) in locale \(locale).")
    }

    /// The mistake that the database found in the contexts of a call (`publishing_mistake()`).
    init(mistake: JSONValue) {
        let context =
            "The context \(mistake["path"]?.description ?? "")"
            + " in locale \(mistake["locale"]?.text ?? "")"
        status = 400
        code = mistake["code"]?.text ?? "INVALID_BODY"
        message =
            switch code {
            case "PARENT_NOT_FOUND":
                "\(context) has no parent there; send the parent in the same call or before."
            case "OVERLAPPING_LOCALES":
                "\(context) would be shown in a locale in which another version of it is shown; "
                    + "presentableLocales of the versions of a context cannot overlap, and mul is every locale."
            case "TOO_MANY_CHILDREN": "\(context) would have more than 2,000 children."
            default: context
            }
    }

    init(status: Int, code: String, message: String, headers: [ResponseField] = []) {
        self.status = status
        self.code = code
        self.message = message
        self.headers = headers
    }

    static func describe(_ path: [String]) -> String {
        JSONValue.array(path.map(JSONValue.text)).description
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
        .json(
            "Too many wrong tokens came from this address, or too much at once.", shape, status: 429
        )
        .retryable,
    ]

    static let shape = Shape.fields(
        "CatalogError",
        [
            .required("id", .text(1...64), "Identifies this one error."),
            .required("code", .text(1...64)), .required("message", .text(1...4000)),
        ])

    /// Problems of any call in this form; `nil` for those that the Catalog API has no format for: a body that is too
    /// long, and errors on our side.
    static func translating(_ problem: Problem) -> Response? {
        let message =
            problem.errors.first.map { "\($0.pointer): \($0.detail)" } ?? problem.detail
            ?? problem.title
        var error =
            switch problem.status {
            case 400 where problem.code == "invalid_parameter": invalidParameter(message)
            case 400, 415, 422: invalidBody(message)
            case 403: notAuthorized(message)
            default: nil as CatalogError?
            }
        error?.headers = problem.headers.filter { $0.name == "Connection" }
        return error?.response
    }
}
