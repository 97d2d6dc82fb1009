import API
import Crypto
import HTTPWire

/// One call of the service: the operation that clients see, who may make it, and its handler.
///
/// `Tests` compare the declarations with the routes and the answers.
package final class Endpoint: Sendable {
    package typealias Keys = Operation.Keys
    package typealias Body = Operation.Body
    package typealias Answer = Operation.Answer
    package typealias Parameter = Operation.Parameter

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

    /// Who may make the call.
    package enum Callers: Sendable {
        /// Anyone, without a token.
        case anyone
        /// Callers with one of the standings. The request runs under the first one that the caller holds.
        case standings([Standing])
        /// An app's developer with a signed token (ClassKit Catalog API).
        case developer
    }

    /// Where a call reads.
    package enum Place: Sendable {
        case primary
        /// From a replica that has everything committed before the call, otherwise from the primary. For calls that only
        /// read: reports, lists and exports. Statements of a transaction still run on the primary.
        case replica
    }

    package let operation: Operation
    package let callers: Callers
    package let place: Place
    /// Of which a token that is limited to scopes needs one; empty for calls that such a token may not make.
    package let scopes: [String]
    /// Whether a token that is not limited to scopes may not make the call either.
    package let needsScope: Bool
    let open: OpenHandler?
    let receive: Receiver?
    let handler: Handler?
    let refusal: Refusal?

    package var method: HTTPMethod { operation.method }
    package var path: String { operation.path }

    /// An authenticated call. A `POST` honours idempotency keys, and another call ignores them, unless it says
    /// otherwise.
    package convenience init(
        _ method: HTTPMethod, _ path: String, _ summary: String, description: String? = nil,
        for standings: [Standing], query parameters: [Parameter] = [], body: Body = .none,
        answers: [Answer],
        problems: [(status: Int, meaning: String)] = [], keys: Keys? = nil, cost: Int = 1,
        fields: [Operation.Header] = [], reads place: Place = .primary, scopes: [String] = [],
        needsScope: Bool = false, handler: @escaping Handler
    ) {
        precondition(place == .primary || method == .get, "only reads go to a replica")
        let callers = Callers.standings(standings)
        // Other paths are those of standards, which say how answers are presented.
        let isProjected = method == .get && path.hasPrefix("/v1/")
        self.init(
            Operation(
                method, path, summary, description: description, access: callers.access,
                query: parameters, body: body,
                answers: answers, problems: problems,
                keys: keys ?? (method == .post ? .honoured : .ignored),
                fields: fields, cost: cost, isProjected: isProjected,
                expansions: isProjected ? Self.expansions(of: answers, for: standings) : [],
                extensions: callers.extensions),
            for: callers, reads: place, scopes: scopes, needsScope: needsScope, handler: handler)
    }

    /// What `expand` can add for callers who may read such records by themselves.
    private static func expansions(
        of answers: [Answer], for standings: [Standing]
    ) -> [Expansion] {
        guard standings.contains(where: ExpandedRecord.readers.contains) else { return [] }
        if let item = answers.lazy.compactMap(\.item).first {
            return ExpandedRecord.expansions(of: item.fields)
        }
        guard case .object(let shape)? = Operation.shape(of: answers) else { return [] }
        return ExpandedRecord.expansions(of: shape.fields)
    }

    /// An authenticated call whose body is too large for memory.
    package convenience init(
        _ method: HTTPMethod, _ path: String, _ summary: String, description: String? = nil,
        for standings: [Standing], query parameters: [Parameter] = [], body: Body,
        answers: [Answer],
        problems: [(status: Int, meaning: String)] = [], keys: Keys? = nil, cost: Int = 1,
        receive: @escaping Receiver
    ) {
        let callers = Callers.standings(standings)
        self.init(
            Operation(
                method, path, summary, description: description, access: callers.access,
                query: parameters, body: body,
                answers: answers, problems: problems,
                keys: keys ?? (method == .post ? .honoured : .ignored),
                cost: cost, extensions: callers.extensions),
            for: callers, receive: receive)
    }

    /// A call that needs no token.
    package convenience init(
        open method: HTTPMethod, _ path: String, _ summary: String, description: String? = nil,
        query parameters: [Parameter] = [], body: Body = .none, answers: [Answer],
        problems: [(status: Int, meaning: String)] = [], keys: Keys = .ignored,
        handler: @escaping OpenHandler
    ) {
        let callers = Callers.anyone
        self.init(
            Operation(
                method, path, summary, description: description, access: callers.access,
                query: parameters, body: body,
                answers: answers, problems: problems, keys: keys),
            for: callers, open: handler)
    }

    /// A call of an app's developer, whom the handler authenticates. Such calls follow Apple's Catalog API, which has
    /// no idempotency keys and its own format for problems.
    package convenience init(
        developer method: HTTPMethod, _ path: String, _ summary: String, description: String? = nil,
        query parameters: [Parameter] = [], body: Body = .none, answers: [Answer],
        problems: [(status: Int, meaning: String)] = [], refusal: @escaping Refusal,
        handler: @escaping OpenHandler
    ) {
        let callers = Callers.developer
        self.init(
            Operation(
                method, path, summary, description: description, access: callers.access,
                query: parameters, body: body,
                answers: answers, problems: problems),
            for: callers, open: handler, refusal: refusal)
    }

    /// This call under the name that it had before, for clients that know no other: its answers say what to use instead.
    ///
    /// - Precondition: it changes something, with a body that fits in memory.
    package func formerly(_ method: HTTPMethod, _ path: String) -> Endpoint {
        precondition(method != .get && handler != nil)
        return Endpoint(
            operation.formerly(method, path), for: callers, scopes: scopes, needsScope: needsScope,
            handler: handler)
    }

    private init(
        _ operation: Operation, for callers: Callers, reads place: Place = .primary,
        scopes: [String] = [], needsScope: Bool = false, open: OpenHandler? = nil,
        handler: Handler? = nil, receive: Receiver? = nil, refusal: Refusal? = nil
    ) {
        self.operation = operation
        self.callers = callers
        self.place = place
        self.scopes = scopes
        self.needsScope = needsScope
        self.open = open
        self.handler = handler
        self.receive = receive
        self.refusal = refusal
    }
}
