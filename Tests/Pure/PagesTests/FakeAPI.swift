import HTTPServer
import HTTPWire
import JSONBytes
import Synchronization
import Testing
import Values

@testable import Pages

/// Answers the calls of the pages as the API's contract says, and keeps what it was asked.
final class FakeAPI: Sendable {
    struct Call: Sendable, Equatable {
        let line: String
        /// The path with its query.
        let target: String
        /// The query, decoded.
        let query: String
        let token: String?
        let language: String?
        let address: String
        /// The `If-Match` of the call.
        let match: String?
        /// The query as it was sent.
        let encodedQuery: String
        let lastEventID: String?
        let body: JSONValue
        /// The body as it was sent.
        let bytes: [UInt8]
        let type: String?
    }

    /// The status and document for a call such as `GET /v1/me`; the query is left out.
    typealias Answer = (status: Int, body: JSONValue)

    private let state: Mutex<(answers: [String: Answer], calls: [Call])>

    private let texts: Mutex<[String: String]>

    private let hasVersions = Mutex(false)

    /// - Parameter tables: answers that are tables, by the line of their call.
    init(_ answers: [String: Answer] = [:], tables: [String: String] = [:]) {
        Self.expectContract(answers)
        texts = Mutex(tables)
        state = Mutex((Self.contract.merging(answers) { _, new in new }, []))
    }

    static let token = "session-token-of-mira-castell"

    private static let contract: [String: Answer] = [
        "POST /v1/sign-in": (
            200,
            [
                "accessToken": .text(token), "expiresIn": 43200, "mustChangePassword": false,
                "person": ["id": "p1"],
            ]
        ),
        "POST /v1/sign-out": (204, .null),
        "GET /v1/sign-in/offered-providers": (
            200,
            [
                "items": [], "byDomain": false,
                "redirectUri": "https://school.example/sign-in/callback",
            ]
        ),
        "POST /v1/me/session/renewal": (200, ["expiresIn": 43200]),
        "GET /v1/me": (200, me(standings: ["student"])),
        "PUT /v1/me/password": (204, .null),
        "GET /v1/me/viewings": (200, ["items": []]),
        "GET /v1/me/sessions": (
            200,
            [
                "items": [
                    [
                        "id": "s1", "kind": "browser", "current": true,
                        "userAgent": "Mozilla/5.0 (Windows NT 10.0) Gecko/20100101 Firefox/130.0",
                        "address": "192.0.2.7", "startedAt": "2026-11-20T08:00:00.000Z",
                        "lastUsedAt": "2026-11-22T08:00:00.000Z",
                    ],
                    [
                        "id": "s2", "kind": "app", "bundleId": "com.example.quiz<b>",
                        "current": false, "startedAt": "2026-11-20T08:00:00.000Z",
                        "lastUsedAt": "2026-11-21T08:00:00.000Z",
                    ],
                ]
            ]
        ),
        "DELETE /v1/me/sessions/s2": (204, .null), "DELETE /v1/me/sessions": (204, .null),
        "GET /v1/announcements": (200, ["items": []]),
        "GET /v1/me/privileges": (200, ["privileges": []]),
        "GET /v1/me/licences": (
            200, ["items": [["id": "l1", "name": "Quiz <zler>", "bundleId": "com.example.quiz"]]]
        ),
    ]

    static func me(standings: [String], id: String = "p1") -> JSONValue {
        [
            "kind": "person",
            "organization": ["id": "o1", "name": "Harbour <Upper> School"],
            "standings": .array(standings.map { .text($0) }),
            "person": [
                "id": .text(id), "managedId": "mira.castell@harbour.example", "givenName": "Mira",
                "familyName": "Castell",
            ],
        ]
    }

    /// A problem document.
    static func problem(_ status: Int, _ code: String, _ more: JSONObject = JSONObject()) -> Answer
    {
        var document = JSONObject([
            ("status", .number(JSONNumber(Int64(status)))), ("code", .text(code)),
            ("detail", "The API's own words."),
        ])
        for member in more.members { document[member.key] = member.value }
        return (status, .object(document))
    }

    /// From now on every document has the entity tag of its content, and a change of another version is refused.
    func keepVersions() { hasVersions.withLock { $0 = true } }

    private static func tag(of document: JSONValue) -> String {
        var sum: UInt64 = 14_695_981_039_346_656_037
        for byte in document.bytes { sum = (sum ^ UInt64(byte)) &* 1_099_511_628_211 }
        return "\"\(sum)\""
    }

    /// Answers a call with text that is not JSON.
    func set(_ line: String, text: String) { texts.withLock { $0[line] = text } }

    /// Answers a call otherwise from now on.
    func set(_ line: String, _ answer: Answer) {
        Self.expectContract([line: answer])
        state.withLock { $0.answers[line] = answer }
    }

    var calls: [Call] { state.withLock { $0.calls } }
    var lines: [String] { calls.map(\.line) }
    var targets: [String] { calls.map(\.target) }

    /// The queries of all calls of that line.
    func queries(_ line: String) -> [String] { calls.filter { $0.line == line }.map(\.query) }

    func body(of line: String) -> JSONValue? { calls.last { $0.line == line }?.body }

    func answer(_ request: HTTPRequest) async -> HTTPResponse {
        let path = "/" + request.segments.joined(separator: "/")
        let query = request.query.items.map { "\($0.name)=\($0.value)" }.joined(separator: "&")
        let bytes = (try? await request.body.collect(upTo: 1_048_576)) ?? []
        let line = "\(request.method) \(path)"
        for name in Self.unknownParameters(line, query: request.query.items.map(\.name)) {
            Issue.record("\(line) takes no \(name)")
        }
        let call = Call(
            line: line, target: request.head.target, query: query,
            token: request.headers["authorization"].map { String($0.dropFirst(7)) },
            language: request.headers["accept-language"], address: request.clientAddress,
            match: request.headers["if-match"],
            encodedQuery: String(request.head.target.drop { $0 != "?" }.dropFirst()),
            lastEventID: request.headers["last-event-id"],
            body: (try? JSONValue(parsing: bytes)) ?? .null, bytes: bytes,
            type: request.headers["content-type"])
        let answer = state.withLock { state in
            state.calls.append(call)
            if request.method != .patch, call.body.hasNullMember {
                return FakeAPI.problem(422, "invalid_body")
            }
            if hasVersions.withLock({ $0 }), let match = call.match,
                // Classes that teachers made are read like all others.
                let now = state.answers["GET " + path.replacing("/me/classes", with: "/classes")],
                match != Self.tag(of: now.body)
            {
                return FakeAPI.problem(412, "precondition_failed")
            }
            return state.answers[call.line] ?? FakeAPI.problem(404, "unknown_call")
        }
        if let text = texts.withLock({ $0[call.line] }) {
            return HTTPResponse(status: 200, type: "text/csv", bytes: Array(text.utf8))
        }
        var headers: [ResponseField] = []
        if [429, 503].contains(answer.status) {
            headers.append(ResponseField("Retry-After", "90"))
        }
        if hasVersions.withLock({ $0 }), request.method == .get {
            headers.append(ResponseField("ETag", Self.tag(of: answer.body)))
        }
        guard !answer.body.isNull else { return HTTPResponse(status: answer.status) }
        return HTTPResponse(
            status: answer.status, type: "application/json", bytes: answer.body.bytes,
            headers: headers)
    }
}

extension JSONValue {
    /// The API refuses null where it says nothing: only PATCH clears by it.
    fileprivate var hasNullMember: Bool {
        object?.members.contains { $0.value.isNull } ?? false
    }
}

/// A browser in front of the pages: keeps cookies, and fills in the token of the forms that it sees.
final class Browser {
    let api: FakeAPI
    private let pages: Pages
    private var cookies: [String: String] = [:]
    private var formToken: String?
    let isSecure: Bool
    private let clock = ClockBox(Timestamp("2026-11-22T10:00:00Z")!)

    init(_ api: FakeAPI = FakeAPI(), isSecure: Bool = false, site: String? = nil) {
        self.api = api
        self.isSecure = isSecure
        let clock = clock
        pages = Pages(firstNumber: 1, clock: Clock { clock.value }, site: site) {
            await api.answer($0)
        }
    }

    func wait(seconds: Int64) { clock.advance(seconds) }

    struct Shown {
        let status: Int
        let headers: [ResponseField]
        let bytes: [UInt8]

        var text: String { String(decoding: bytes, as: UTF8.self) }

        func header(_ name: String) -> String? {
            headers.first { $0.name.lowercased() == name.lowercased() }?.value
        }

        func cookie(_ name: String) -> String? {
            headers.first {
                $0.name == "Set-Cookie" && $0.value.hasPrefix("\(name)=")
            }?.value
        }

        var location: String? { header("Location") }
    }

    func cookie(_ name: String) -> String? { cookies[name] }

    func set(_ name: String, _ value: String?) { cookies[name] = value }

    /// Signs in with the session of the fake API.
    func signIn() { cookies[isSecure ? "__Host-homeroom" : "homeroom"] = FakeAPI.token }

    func get(_ target: String, _ headers: [(name: String, value: String)] = []) async throws
        -> Shown
    {
        try await send(.get, target, headers, [])
    }

    /// Sends a form with the token of the last page that had one.
    func post(
        _ target: String, _ fields: [(String, String)] = [], token: String?? = nil,
        headers: [(name: String, value: String)] = []
    ) async throws -> Shown {
        let formToken = token ?? self.formToken
        let sent = fields + (formToken.map { [(FormKey.field, $0)] } ?? [])
        let body = sent.map { "\(LocalPath.encoded($0.0))=\(LocalPath.encoded($0.1))" }
        return try await send(
            .post, target,
            headers + [(name: "Content-Type", value: "application/x-www-form-urlencoded")],
            Array(body.joined(separator: "&").utf8))
    }

    func send(
        _ method: HTTPMethod, _ target: String, _ headers: [(name: String, value: String)],
        _ body: [UInt8]
    ) async throws -> Shown {
        var fields = headers
        if !cookies.isEmpty {
            let line = cookies.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
            fields.append((name: "Cookie", value: line.joined(separator: "; ")))
        }
        let request = try HTTPRequest(
            method: method, target: target, headers: fields, body: body, requestID: "request-7",
            clientAddress: "192.0.2.7", isSecure: isSecure)
        let response = await pages.answer(request)
        for field in response.headers where field.name == "Set-Cookie" { take(field.value) }
        let shown = Shown(
            status: response.status, headers: response.headers,
            bytes: try await response.wholeBody())
        let mark = "name=\"\(FormKey.field)\" value=\""
        if let place = shown.text.firstRange(of: mark) {
            formToken = String(shown.text[place.upperBound...].prefix { $0 != "\"" })
        }
        return shown
    }

    var lastFormToken: String? { formToken }

    private func take(_ line: String) {
        let pair = line.prefix { $0 != ";" }
        let name = String(pair.prefix { $0 != "=" })
        let value = String(pair.dropFirst(name.count + 1))
        cookies[name] = line.contains("Max-Age=0") ? nil : value
    }
}
