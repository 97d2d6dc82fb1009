import API
import HTTPServer
import HTTPWire
import JSONBytes

/// A refusal in the format of the standard, `imsx_StatusInfo`.
struct StatusInfo: AnsweredError {
    /// Why, in the standard's words.
    enum Minor: String, CaseIterable {
        case invalidFilterField = "invalid_filter_field"
        case invalidData = "invaliddata"
        case unauthorised = "unauthorisedrequest"
        case forbidden
        case serverBusy = "server_busy"
        case unknownObject = "unknownobject"
        case internalError = "internal_server_error"
    }

    let status: Int
    let minor: Minor
    let description: String
    var headers: [ResponseField] = []

    init(status: Int, minor: Minor, _ description: String) {
        self.status = status
        self.minor = minor
        self.description = description
    }

    static let unknownObject = StatusInfo(
        status: 404, minor: .unknownObject, "The object does not exist, or you may not see it.")

    static func filter(_ mistake: FilterMistake) -> StatusInfo {
        StatusInfo(
            status: 400, minor: .invalidFilterField,
            "filter: at position \(mistake.position) there should be \(mistake.expected).")
    }

    /// A problem of any call.
    init(_ problem: Problem) {
        status = problem.status
        minor =
            switch problem.status {
            case 401: .unauthorised
            case 403: .forbidden
            case 404: .unknownObject
            case 429, 503: .serverBusy
            case 500...: .internalError
            default: .invalidData
            }
        description = problem.detail ?? problem.title
        headers = problem.headers
    }

    var response: Response {
        var response = Response.json(
            [
                "imsx_codeMajor": [405, 501].contains(status) ? "unsupported" : "failure",
                "imsx_severity": "error", "imsx_description": .text(description),
                "imsx_CodeMinor": [
                    "imsx_codeMinorField": [
                        [
                            "imsx_codeMinorFieldName": "TargetEndSystem",
                            "imsx_codeMinorFieldValue": .text(minor.rawValue),
                        ]
                    ]
                ],
            ], status: status)
        response.headers += headers
        return response
    }

    // MARK: For the API document

    /// - Parameter isSingle: whether the call reads one object, which may be absent.
    static func answers(isSingle: Bool) -> [Operation.Answer] {
        let common: [Operation.Answer] = [
            .json("A parameter is wrong; the description says which.", shape, status: 400),
            .json("The access token is missing or not valid.", shape, status: 401)
                .challengingCallers,
            .json("Your token may not read this.", shape, status: 403),
            .json("It has changed since the version in If-Match.", shape, status: 412),
            .json("You asked for too much in a short time.", shape, status: 429).retryable,
            .json("Something is wrong on our side.", shape, status: 500),
            .json("It cannot be done right now.", shape, status: 503).retryable,
        ]
        return isSingle
            ? common + [.json("The object does not exist.", shape, status: 404)] : common
    }

    /// Of calls that create, replace or remove objects.
    static let answersToWrites: [Operation.Answer] = [
        .json("The call cannot be read as it is.", shape, status: 400),
        .json("The access token is missing or not valid.", shape, status: 401)
            .challengingCallers,
        .json("Your token may not write this, or another system wrote it.", shape, status: 403),
        .json("The object does not exist.", shape, status: 404),
        .json("The body is larger than 1 MiB.", shape, status: 413),
        .json("The body should be JSON.", shape, status: 415),
        .json("Something in the body is wrong; the description says what.", shape, status: 422),
        .json("You asked for too much in a short time.", shape, status: 429).retryable,
        .json("Something is wrong on our side.", shape, status: 500),
        .json("It cannot be done right now.", shape, status: 503).retryable,
    ]

    private static let shape = Shape.fields(
        "StatusInfo",
        [
            .required("imsx_codeMajor", .word(["failure", "unsupported"])),
            .required("imsx_severity", .word(["error"])),
            .required("imsx_description", .text(1...4000)),
            .required(
                "imsx_CodeMinor",
                .fields(
                    "StatusInfoMinor",
                    [
                        .required(
                            "imsx_codeMinorField",
                            .array(
                                .fields(
                                    "StatusInfoMinorField",
                                    [
                                        .required("imsx_codeMinorFieldName", .text(1...100)),
                                        .required(
                                            "imsx_codeMinorFieldValue",
                                            .word(Minor.allCases.map(\.rawValue))),
                                    ]), count: 1...1))
                    ])),
        ])
}
