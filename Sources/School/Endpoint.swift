import Crypto
import HTTPWire

/// One call of the HTTP API: what it is for, who may make it, what goes in and out, and what answers it.
///
/// The API document is made from these declarations; `Tests` compare it with the routes and the answers.
/// An object, so that the requests of a call share its declaration instead of copying it.
package final class Endpoint: Sendable {
    /// Answers a call of somebody known.
    package typealias Handler = @Sendable (Request, Caller) async throws -> Response
    /// Answers a call of anybody.
    package typealias OpenHandler = @Sendable (Request) async throws -> Response

    /// Tells a problem in the words of a standard; `nil` for those of which it says nothing.
    package typealias Refusal = @Sendable (Problem) -> Response?

    /// A body that has been received as a whole, and what is done with it then. No transaction waits for a
    /// client that is slow.
    package struct Received: Sendable {
        /// Of the body's bytes.
        let digest: SHA256Digest
        let act: @Sendable (Caller) async throws -> Response

        package init(
            digest: SHA256Digest, act: @escaping @Sendable (Caller) async throws -> Response
        ) {
            self.digest = digest
            self.act = act
        }
    }

    /// Receives a body that is too large for memory.
    package typealias Receiver = @Sendable (Request) async throws -> Received

    /// What a call does with an idempotency key.
    package enum Keys: Sendable {
        /// Its effect and its answer happen once for a key.
        case honoured
        /// The answer holds a secret, which is not kept for a second answer: 400.
        case refused
        /// A key means nothing here: repeating the call does no more than the first did.
        case ignored
    }

    /// Who may make the call.
    package enum Callers: Sendable {
        /// Anybody, without a token.
        case anyone
        /// Whoever holds one of the standings; the request runs under the first one that is held.
        case standings([Standing])
        /// An app's developer with a signed token (ClassKit Catalog API).
        case developer
    }

    package enum Body: Sendable {
        case none
        /// A JSON document of the shape, at most 1 MiB.
        case json(Shape)
        /// The same, where it may be left out.
        case jsonIfAny(Shape)
        /// `application/x-www-form-urlencoded`, at most 16 KiB, with these fields.
        case form([Field])
        /// Bytes of one of the media types, which the receiver pulls; the limit is in bytes.
        case stream([String], maximumBytes: Int)
    }

    /// One answer that is no problem.
    package struct Answer: Sendable {
        package let status: Int
        package let meaning: String
        /// By media type; `nil` for what is no JSON.
        package let content: [(mediaType: String, shape: Shape?)]
        package var headers: [Header] = []
    }

    /// A parameter of the query string.
    package struct Parameter: Sendable {
        package let name: String
        package let shape: Shape
        package let meaning: String
        package let isRequired: Bool
    }

    package let method: HTTPMethod
    package let path: String
    package let summary: String
    package let callers: Callers
    package let parameters: [Parameter]
    package let body: Body
    package let answers: [Answer]
    /// Problems with a meaning of their own here, beside those that any call may meet.
    package let problems: [(status: Int, meaning: String)]
    package let keys: Keys
    /// What it takes from the caller's allowance, before what the body adds (`RequestCost`).
    package let cost: Int
    let open: OpenHandler?
    let receive: Receiver?
    let handler: Handler?
    let refusal: Refusal?

    /// A call of somebody known. A `POST` honours idempotency keys unless it says otherwise.
    package convenience init(
        _ method: HTTPMethod, _ path: String, _ summary: String, for standings: [Standing],
        query parameters: [Parameter] = [], body: Body = .none, answers: [Answer],
        problems: [(status: Int, meaning: String)] = [], keys: Keys = .honoured, cost: Int = 1,
        handler: @escaping Handler
    ) {
        self.init(
            method: method, path: path, summary: summary, callers: .standings(standings),
            parameters: parameters, body: body, answers: answers, problems: problems,
            keys: method == .post ? keys : .ignored, cost: cost, open: nil, handler: handler)
    }

    /// A call of somebody known whose body is too large for memory.
    package convenience init(
        _ method: HTTPMethod, _ path: String, _ summary: String, for standings: [Standing],
        query parameters: [Parameter] = [], body: Body, answers: [Answer],
        problems: [(status: Int, meaning: String)] = [], cost: Int = 1,
        receive: @escaping Receiver
    ) {
        self.init(
            method: method, path: path, summary: summary, callers: .standings(standings),
            parameters: parameters, body: body, answers: answers, problems: problems,
            keys: method == .post ? .honoured : .ignored, cost: cost, open: nil, handler: nil,
            receive: receive)
    }

    /// A call of anybody.
    package convenience init(
        open method: HTTPMethod, _ path: String, _ summary: String,
        query parameters: [Parameter] = [], body: Body = .none, answers: [Answer],
        problems: [(status: Int, meaning: String)] = [], keys: Keys = .ignored,
        handler: @escaping OpenHandler
    ) {
        self.init(
            method: method, path: path, summary: summary, callers: .anyone,
            parameters: parameters, body: body, answers: answers, problems: problems, keys: keys,
            open: handler, handler: nil)
    }

    /// A call of an app's developer, who is recognised by the handler. Such calls keep the standard of Apple's
    /// Catalog API, which knows no keys and has a form of its own for problems.
    package convenience init(
        developer method: HTTPMethod, _ path: String, _ summary: String,
        query parameters: [Parameter] = [], body: Body = .none, answers: [Answer],
        problems: [(status: Int, meaning: String)] = [], refusal: @escaping Refusal,
        handler: @escaping OpenHandler
    ) {
        self.init(
            method: method, path: path, summary: summary, callers: .developer,
            parameters: parameters, body: body, answers: answers, problems: problems,
            keys: .ignored, open: handler, handler: nil, refusal: refusal)
    }

    private init(
        method: HTTPMethod, path: String, summary: String, callers: Callers,
        parameters: [Parameter], body: Body, answers: [Answer],
        problems: [(status: Int, meaning: String)], keys: Keys, cost: Int = 1, open: OpenHandler?,
        handler: Handler?, receive: Receiver? = nil, refusal: Refusal? = nil
    ) {
        self.method = method
        self.path = path
        self.summary = summary
        self.callers = callers
        self.parameters = parameters
        self.body = body
        self.answers = answers
        self.problems = problems
        self.keys = keys
        self.cost = cost
        self.open = open
        self.handler = handler
        self.receive = receive
        self.refusal = refusal
    }
}

extension Endpoint.Answer {
    package static func json(_ meaning: String, _ shape: Shape, status: Int = 200) -> Self {
        Self(
            status: status, meaning: meaning,
            content: [(mediaType: "application/json", shape: shape)])
    }

    /// A JSON document, or the same as CSV for whoever accepts that rather.
    package static func jsonOrCSV(_ meaning: String, _ shape: Shape) -> Self {
        Self(
            status: 200, meaning: meaning,
            content: [
                (mediaType: "application/json", shape: shape), (mediaType: "text/csv", shape: nil),
            ]
        ).negotiated
    }

    package static func empty(_ status: Int, _ meaning: String) -> Self {
        Self(status: status, meaning: meaning, content: [])
    }

    package static func bytes(
        _ meaning: String, _ mediaTypes: [String], status: Int = 200
    ) -> Self {
        Self(
            status: status, meaning: meaning,
            content: mediaTypes.map { (mediaType: $0, shape: nil) })
    }

    /// A page of a list: `items` and the token of the next page.
    package static func page(_ meaning: String, of item: ObjectShape) -> Self {
        .json(
            meaning,
            .fields(
                "\(item.name)Page",
                [
                    .required("items", .array(.object(item), count: 0...1000)),
                    .optional(
                        "nextPageToken", .text(1...2000), "Absent on the last page; opaque."),
                ])
        ).with(.link)
    }
}

extension Endpoint.Parameter {
    package static func optional(_ name: String, _ shape: Shape, _ meaning: String) -> Self {
        Self(name: name, shape: shape, meaning: meaning, isRequired: false)
    }

    package static func required(_ name: String, _ shape: Shape, _ meaning: String) -> Self {
        Self(name: name, shape: shape, meaning: meaning, isRequired: true)
    }

    /// What every list takes.
    package static let page: [Self] = [
        .optional("limit", .integer(1...1000), "How many items at most; 100 when absent."),
        .optional("pageToken", .text(1...2000), "Continues the list where the last page ended."),
    ]
}
