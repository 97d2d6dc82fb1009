import API
import HTTPServer
import HTTPWire
import JSONBytes
import School

/// A refusal of a request for a token in the format of its standard (RFC 6749 section 5.2).
struct ToolRefusal: AnsweredError {
    let status: Int
    /// One of the standard's codes.
    let error: String
    /// A sentence for the tool's developer, in ASCII without quotation marks, as the standard requires.
    let description: String
    var headers: [ResponseField] = []

    static func invalidRequest(_ description: String) -> ToolRefusal {
        ToolRefusal(status: 400, error: "invalid_request", description: description)
    }

    static func invalidClient(_ description: String) -> ToolRefusal {
        ToolRefusal(status: 400, error: "invalid_client", description: description)
    }

    static func tooMany(retryAfterSeconds seconds: Int) -> ToolRefusal {
        ToolRefusal(
            status: 429, error: "temporarily_unavailable",
            description: "Too many tokens were requested. Use each one until it expires.",
            headers: [ResponseField("Retry-After", String(seconds))])
    }

    static let busy = ToolRefusal(
        status: 503, error: "temporarily_unavailable",
        description: "Too many keys are being asked for. Try again in a few seconds.",
        headers: [ResponseField("Retry-After", "5")])

    var response: Response {
        let ascii = String(description.unicodeScalars.filter(\.isASCII))
        var response = Response.json(
            [
                "error": .text(error),
                "error_description": .text(String(ascii.replacing("\"", with: "'").prefix(200))),
            ], status: status)
        response.headers += headers + [Self.noCache]
        return response
    }

    /// Section 5.1 requires it beside `Cache-Control: no-store`.
    static let noCache = ResponseField("Pragma", "no-cache")

    /// For the API document.
    static let answers: [Endpoint.Answer] = [
        .json("The request, the assertion or the scope is wrong.", shape, status: 400),
        .json("There were too many tokens, or too many wrong assertions.", shape, status: 429)
            .retryable,
        .json("Too many keys of tools are being asked for.", shape, status: 503).retryable,
    ]

    private static let shape = Shape.fields(
        "ToolTokenError",
        [
            .required(
                "error",
                .word([
                    "invalid_request", "invalid_client", "unsupported_grant_type", "invalid_scope",
                    "temporarily_unavailable",
                ])),
            .required("error_description", .text(1...200)),
        ])
}
