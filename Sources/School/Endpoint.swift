import Crypto
import HTTPWire

/// One call of the HTTP API: its purpose, who may make it, its input and output, and its handler.
///
/// The API document is made from these declarations; `Tests` compare it with the routes and the answers. A class, so
/// that the requests of a call share its declaration instead of copying it.
package final class Endpoint: Sendable {
    /// Answers an authenticated call.
    package typealias Handler = @Sendable (Request, Caller) async throws -> Response
    /// Answers a call that needs no token.
    package typealias OpenHandler = @Sendable (Request) async throws -> Response

    /// Expresses a problem as a standard prescribes; `nil` for problems that the standard does not cover.
    package typealias Refusal = @Sendable (Problem) -> Response?

    /// A completely received body, and what to do with it. No transaction waits for a slow client.
    package struct Received: Sendable {
        /// The digest of the body's bytes.
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
        /// The call takes effect once per key, and a repetition gets the same answer.
        case honoured
        /// The answer contains a secret, which is not kept for a second answer: 400.
        case refused
        /// A key has no meaning here: repeating the call does no more than the first call did.
        case ignored
    }

    /// Who may make the call.
    package enum Callers: Sendable {
        /// Anyone, without a token.
        case anyone
        /// Callers with one of the standings. The request runs under the first one that the caller holds.
        case standings([Standing])
        /// An app's developer with a signed token (ClassKit Catalog API).
        case developer
    }

    package enum Body: Sendable {
        case none
        /// A JSON document of the shape, at most 1 MiB.
        case json(Shape)
        /// The same, but optional.
        case jsonIfAny(Shape)
        /// `application/x-www-form-urlencoded`, at most 16 KiB, with these fields.
        case form([Field])
        /// Bytes of one of the media types, which the receiver pulls; the limit is in bytes.
        case stream([String], maximumBytes: Int)
    }

    /// An answer that is not a problem.
    package struct Answer: Sendable {
        package let status: Int
        package let meaning: String
        /// Shapes by media type; `nil` if it is not JSON.
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
    /// Problems with a meaning specific to this call, beyond those that any call may answer.
    package let problems: [(status: Int, meaning: String)]
    package let keys: Keys
    /// What the call takes from the caller's allowance, before what the body adds (`RequestCost`).
    package let cost: Int
    let open: OpenHandler?
    let receive: Receiver?
    let handler: Handler?
    let refusal: Refusal?

    /// An authenticated call. A `POST` honours idempotency keys unless it says otherwise.
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

    /// An authenticated call whose body is too large for memory.
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

    /// A call that needs no token.
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

    /// A call of an app's developer, whom the handler authenticates. Such calls follow Apple's Catalog API, which has
    /// no idempotency keys and its own format for problems.
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

    /// A JSON document, or the same as CSV for clients that prefer it.
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

    /// The parameters that every list takes.
    package static let page: [Self] = [
        .optional("limit", .integer(1...1000), "How many items at most; 100 when absent."),
        .optional("pageToken", .text(1...2000), "Continues the list where the last page ended."),
    ]
}
