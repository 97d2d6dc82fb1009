import API
import Crypto
import HTTPServer
import HTTPWire
import JSONBytes
import Values

/// A refusal as Apple's services at the same host write it: a list of errors. Of the Roster API itself, Apple documents
/// the statuses alone.
struct RosterRefusal {
    private let problem: Problem

    init(_ problem: Problem) {
        self.problem = problem
    }

    private var code: String {
        switch problem.status {
        case 400: "PARAMETER_ERROR.INVALID"
        case 401: "NOT_AUTHORIZED"
        case 403: "FORBIDDEN"
        case 404: "NOT_FOUND"
        case 429: "RATE_LIMIT_EXCEEDED"
        case 503: "SERVICE_UNAVAILABLE"
        default: problem.status < 500 ? "INVALID_REQUEST" : "UNEXPECTED_ERROR"
        }
    }

    var response: Response {
        var response = Response.json(
            [
                "errors": [
                    [
                        "id": .text(UUID.v7().description),
                        "status": .text(String(problem.status)), "code": .text(code),
                        "title": .text(problem.title),
                        "detail": .text(problem.detail ?? problem.title),
                    ]
                ]
            ], status: problem.status)
        response.headers += problem.headers
        let wait = problem.headers.first { $0.name == "Retry-After" }
        if problem.status == 429, let wait {
            response.headers.append(ResponseField("X-Retry-After", wait.value))
        }
        return response
    }

    // MARK: For the API document

    /// - Parameter isSingle: whether the call names something that may be absent.
    static func answers(isSingle: Bool) -> [Operation.Answer] {
        func answer(_ status: Int, _ meaning: String) -> Operation.Answer {
            .json(meaning, shape, status: status)
        }
        let common = [
            answer(400, "A parameter is wrong; detail says which."),
            answer(401, "The access token is missing or not valid.").challengingCallers,
            answer(403, "Your token may not read this."),
            answer(
                429,
                "You asked for too much in a short time. X-Retry-After says how many seconds to wait."
            ).retryable,
            answer(500, "Something is wrong on our side."),
            answer(503, "It cannot be done right now.").retryable,
        ]
        return isSingle
            ? common + [answer(404, "It does not exist, or you may not see it.")] : common
    }

    private static let shape = Shape.fields(
        "RosterErrors",
        [
            .required(
                "errors",
                .array(
                    .fields(
                        "RosterError",
                        [
                            .required("id", .uuid), .required("status", .text(3...3)),
                            .required("code", .text(1...100)), .required("title", .text(1...400)),
                            .required("detail", .text(1...4000)),
                        ]), count: 1...1))
        ])
}
