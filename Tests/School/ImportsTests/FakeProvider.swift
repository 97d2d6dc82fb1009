import Crypto
import HTTPClient
import JSONBytes
import Synchronization

@testable import Imports

/// A OneRoster provider in memory, which pages, counts and fails as a test says.
final class FakeProvider: BlockingCalls {
    /// How it pages, and what it says about that.
    struct Manners: Sendable {
        /// The longest page, whatever is asked for.
        var pageMax = 5
        var counts = true
        var links = false
        var filters = true
        /// Whether it knows the scope that is asked for.
        var knowsScope = true
    }

    /// Answers a request in place of the provider; `nil` lets the provider answer. The number counts from 1.
    typealias Intercept = @Sendable (OutgoingRequest, Int) throws -> OutgoingAnswer?

    private struct State {
        var roster: [String: [JSONValue]]
        var manners = Manners()
        var intercept: Intercept?
        var calls: [String] = []
        var tokens = 0
        var isRevoked = false
    }

    static let clientID = "homeroom"
    static let secret = "s+e/c r=t"
    static let url = "https://sis.example/ims/oneroster/rostering/v1p2"

    private let state: Mutex<State>

    init(_ roster: [String: [JSONValue]] = FakeProvider.small) {
        state = Mutex(State(roster: roster))
    }

    /// What it was asked, without the origin.
    var calls: [String] { state.withLock { $0.calls } }
    /// How many tokens it gave.
    var tokens: Int { state.withLock { $0.tokens } }

    func change(_ body: (inout Manners) -> Void) { state.withLock { body(&$0.manners) } }
    func intercept(_ intercept: Intercept?) { state.withLock { $0.intercept = intercept } }
    func edit(_ collection: String, _ body: (inout [JSONValue]) -> Void) {
        state.withLock { body(&$0.roster[collection, default: []]) }
    }
    /// No longer takes the token that it gave last.
    func revokeToken() { state.withLock { $0.isRevoked = true } }

    func perform(_ request: OutgoingRequest) throws -> OutgoingAnswer {
        let (intercept, number) = state.withLock { state in
            state.calls.append(request.address.rest)
            return (state.intercept, state.calls.count)
        }
        if let answer = try intercept?(request, number) { return answer }
        return state.withLock { Self.answer(request, &$0) }
    }

    private static func answer(_ request: OutgoingRequest, _ state: inout State) -> OutgoingAnswer {
        let authorization = request.headers.first { $0.name == "Authorization" }?.value ?? ""
        if let body = request.body {
            let form = String(decoding: body, as: UTF8.self)
            let pair = "\(clientID):\(formEncoded(secret))"
            guard authorization == "Basic " + Base64.encode(Array(pair.utf8)) else {
                return OutgoingAnswer(status: 401, body: [])
            }
            guard state.manners.knowsScope || !form.contains("scope=") else {
                return OutgoingAnswer(status: 400, body: Array(#"{"error":"invalid_scope"}"#.utf8))
            }
            state.tokens += 1
            state.isRevoked = false
            return .json(["access_token": .text("token-\(state.tokens)"), "expires_in": 3600])
        }
        guard authorization == "Bearer token-\(state.tokens)", !state.isRevoked else {
            return OutgoingAnswer(status: 401, body: [])
        }
        return page(request.address, state)
    }

    private static func page(_ address: WebAddress, _ state: State) -> OutgoingAnswer {
        let parts = address.rest.split(separator: "?", maxSplits: 1).map(String.init)
        let collection = parts[0].split(separator: "/").last.map(String.init) ?? ""
        var query: [String: String] = [:]
        for pair in parts.count > 1 ? parts[1].split(separator: "&") : [] {
            let item = pair.split(separator: "=", maxSplits: 1).map(String.init)
            query[item[0]] = item.count > 1 ? item[1] : ""
        }
        guard var records = state.roster[collection] else {
            return OutgoingAnswer(status: 404, body: [])
        }
        if let filter = query["filter"] {
            guard state.manners.filters else { return OutgoingAnswer(status: 400, body: []) }
            // dateLastModified%3E%27…%27
            let since = String(filter.replacing("%3A", with: ":").dropFirst(22).dropLast(3))
            records = records.filter { ($0["dateLastModified"]?.text ?? "") > since }
        } else {
            records = records.filter { $0["status"]?.text != "tobedeleted" }
        }
        let offset = query["offset"].flatMap { Int($0) } ?? 0
        let limit = min(query["limit"].flatMap { Int($0) } ?? 100, state.manners.pageMax)
        var fields: [(name: String, value: String)] = []
        if state.manners.counts { fields.append(("X-Total-Count", "\(records.count)")) }
        if state.manners.links {
            let next = offset + limit < records.count
            let link = "<\(address.origin)\(parts[0])?limit=\(limit)&offset=\(offset + limit)>"
            fields.append(
                ("Link", next ? "\(link); rel=\"next\"" : "<\(address.origin)/>; rel=first"))
        }
        let page = Array(records.dropFirst(offset).prefix(limit))
        return .page(of: collection, page, fields)
    }
}

extension OutgoingAnswer {
    static func json(_ document: JSONValue) -> OutgoingAnswer {
        OutgoingAnswer(status: 200, body: document.bytes)
    }

    /// A page of a collection.
    static func page(
        of collection: String, _ records: [JSONValue],
        _ fields: [(name: String, value: String)] = []
    ) -> OutgoingAnswer {
        OutgoingAnswer(
            status: 200, body: JSONValue.object(JSONObject([(collection, .array(records))])).bytes,
            fields: fields)
    }
}

/// Goes on at once, and remembers the pauses that were asked for.
final class RecordedPace: RosterPace {
    private(set) var pauses: [Int] = []

    func check() throws {}
    func pause(_ seconds: Int) throws { pauses.append(seconds) }
}
