import API
import HTTPServer
import HTTPWire
import JSONBytes

/// A refusal in the format of Apple's API: a number, a sentence, and what it is about.
struct ContentRefusal: AnsweredError {
    /// What a refusal is about: the name of a list in `errorInfo`.
    enum Subject: String {
        case assets, clientUserIds, serialNumbers
    }

    private let number: ContentError
    private let status: Int
    private let message: String
    private let info: (subject: Subject, values: [String])?
    private var headers: [ResponseField] = []

    /// - Parameter message: what is specific to this occurrence; the number's sentence when `nil`.
    init(
        _ number: ContentError, _ message: String? = nil,
        about info: (subject: Subject, values: [String])? = nil
    ) {
        self.number = number
        status = number.status
        self.message = message ?? number.message
        self.info = info
    }

    /// A problem of any call.
    init(_ problem: Problem) {
        number = Self.number(of: problem)
        status = problem.status == 422 ? 400 : problem.status
        message =
            number == .loginNeeded && problem.status == 401 || number == .badAuthorization
            ? number.message : problem.detail ?? problem.title
        info = nil
        headers = problem.headers
    }

    private static func number(of problem: Problem) -> ContentError {
        switch problem.status {
        case 401:
            problem.headers.contains { $0.value.contains("invalid_token") }
                ? .loginNeeded : .badAuthorization
        case 403: .loginNeeded
        case 405: .wrongMethod
        case 415: .wrongContentType
        case 429: .tooManyRequests
        case 500...: .internalError
        default: .badArgument
        }
    }

    /// What a device manager's token without a location gets, as one that the operator or a client secret made.
    static let noLibrary = ContentRefusal(
        Problem.forbidden("This token is for no location. Make a content token."))

    var response: Response {
        var object = JSONObject([
            ("errorNumber", .number(JSONNumber(Int64(number.rawValue)))),
            ("errorMessage", .text(message)),
        ])
        if let info {
            object["errorInfo"] = .object(
                JSONObject([(info.subject.rawValue, .array(info.values.map(JSONValue.text)))]))
        }
        var response = Response.json(.object(object), status: status)
        response.headers += headers
        return response
    }

    // MARK: For the API document

    static let answers: [Operation.Answer] = {
        func answer(_ status: Int, _ meaning: String) -> Operation.Answer {
            .json(meaning, shape, status: status)
        }
        return [
            answer(400, "An argument is wrong; the number says which."),
            answer(401, "There is no content token, or it is not valid.").challengingCallers,
            answer(403, "Your token may not do this."),
            answer(413, "The body is larger than 1 MiB."),
            answer(415, "The body should be JSON.").namingForms,
            answer(429, "You asked for too much in a short time.").retryable,
            answer(500, "Something is wrong on our side."),
            answer(503, "It cannot be done right now.").retryable,
        ]
    }()

    static let info = Shape.fields(
        "ContentErrorInfo",
        [
            .optional("assets", ids), .optional("clientUserIds", ids),
            .optional("serialNumbers", ids),
        ])
    private static let ids = Shape.array(.text(0...1000), count: 0...1000)

    private static let shape = Shape.fields(
        "ContentError",
        [
            .required("errorNumber", .integer(9600...9999)),
            .required("errorMessage", .text(1...4000)), .optional("errorInfo", info),
        ])
}
