import API
import Crypto
import HTTPClient
import HTTPWire
import JSONBytes
import Postgres
import School
import Synchronization
import TestKit
import Testing
import Values

/// A tool that lives in the test: it publishes a key, signs with it, and breaks the rules that the test says.
final class FakeTool: OutgoingCalls {
    struct State {
        var key = FakeTool.keys[0]
        /// What is answered in place of the key set.
        var answer: Result<OutgoingAnswer, OutgoingFailure>?
        var asked = 0
    }

    /// Making keys takes long.
    static let keys = [RS256PrivateKey(), RS256PrivateKey()]
    static let keySetURL = "https://quiz.example/keys"
    static let launchURL = "https://quiz.example/launch"
    static let issuer = "http://localhost"

    private let state = Mutex(State())

    func change(_ change: (inout sending State) -> Void) { state.withLock { change(&$0) } }

    /// How often the keys were asked for.
    var asked: Int { state.withLock { $0.asked } }

    func send(_ request: OutgoingRequest) async throws -> OutgoingAnswer {
        try state.withLock { state in
            state.asked += 1
            if let answer = state.answer { return try answer.get() }
            #expect(request.address.text == Self.keySetURL)
            let document: JSONValue = ["keys": [state.key.publicJWK]]
            return OutgoingAnswer(status: 200, body: document.bytes)
        }
    }

    /// What a tool signs: claims that are right, and the changes of the test.
    ///
    /// - Parameter key: another key than the one that is published.
    func sign(
        _ claims: JSONObject, as id: String, key: RS256PrivateKey? = nil,
        _ change: (inout JSONObject) -> Void = { _ in }
    ) -> String {
        let now = Clock.system.now.milliseconds / 1000
        var all = JSONObject([
            ("iss", .text(id)), ("iat", JSONValue(integerLiteral: now)),
            ("exp", JSONValue(integerLiteral: now + 60)),
        ])
        for member in claims.members { all[member.key] = member.value }
        change(&all)
        let published = state.withLock { $0.key }
        return JWT.sign(
            all, keyID: published.publicJWK["kid"]?.text ?? "", with: key ?? published)
    }

    /// A client assertion (RFC 7523).
    func assertion(
        _ id: String, key: RS256PrivateKey? = nil, _ change: (inout JSONObject) -> Void = { _ in }
    ) -> String {
        sign(
            JSONObject([
                ("sub", .text(id)), ("aud", .text("\(Self.issuer)/lti/token")),
                ("jti", .text(SecureRandom.token())),
            ]), as: id, key: key, change)
    }
}

/// A tool as it was registered.
struct MadeTool {
    let id: String
    let deploymentID: String
}

/// What a browser carries on the way into a tool.
struct Opening {
    /// Of the address at which the tool is asked to begin.
    let login: [String: String]
    let address: String
}

extension TestSchool {
    /// The claims of LTI, by their short names.
    static let lti = "https://purl.imsglobal.org/spec/lti/claim/"

    func registerTool(
        _ more: [String: JSONValue] = [:], as persona: Persona = .ada
    ) async throws -> MadeTool {
        let own: [String: JSONValue] = [
            "name": "Quiz", "loginUrl": "https://quiz.example/login?from=school",
            "redirectUris": [.text(FakeTool.launchURL)], "launchUrl": .text(FakeTool.launchURL),
            "deepLinkingUrl": "https://quiz.example/choose", "keySetUrl": .text(FakeTool.keySetURL),
        ]
        let body = own.merging(more) { $1 }
        let answer = try await post(
            "/v1/tools", as: persona,
            json: JSONValue.object(JSONObject(body.map { ($0, $1) })).withoutNulls)
        try #require(answer.status == 201, "\(answer.text)")
        return MadeTool(
            id: answer.json["clientId"]?.text ?? "",
            deploymentID: answer.json["deploymentId"]?.text ?? "")
    }

    /// A handout of Tom's to Biology with one task in the tool, published two hours ago; returns its id and the task's.
    func giveTool(
        _ tool: MadeTool, _ more: [String: JSONValue] = [:], recipients: JSONValue = nil,
        by persona: Persona = .tom, to group: ClassID? = nil
    ) async throws -> (handout: String, task: String) {
        let own: [String: JSONValue] = [
            "kind": "tool", "toolId": .text(tool.id), "title": "Cells",
            "url": "https://quiz.example/cells",
        ]
        let task = JSONValue.object(JSONObject(own.merging(more) { $1 }.map { ($0, $1) }))
        let handout: JSONValue = [
            "classId": .text((group ?? biology).uuid.description), "title": "Work",
            "publishAt": "2020-01-01T00:00:00Z", "recipients": recipients,
            "tasks": [task.withoutNulls],
        ]
        let answer = try await post("/v1/handouts", as: persona, json: handout.withoutNulls)
        try #require(answer.status == 201, "\(answer.text)")
        let id = answer.json["id"]?.text ?? ""
        try backdate(id)
        return (id, answer.json["tasks"]?[0]?["id"]?.text ?? "")
    }

    /// Lets a handout have been published two hours ago.
    private func backdate(_ handout: String) throws {
        let id = try #require(UUID(handout))
        try sql(
            """
            update school.handout set created_at = now() - interval '2 hours', publish_at = now() - interval '2 hours'
             where handout_id = \(id)
            """)
        for table: Statement in ["task", "handout_recipient"] {
            try sql(
                """
                update school.\(fragment: table) set created_at = now() - interval '2 hours' where handout_id = \(id)
                """)
        }
    }

    /// Begins to open the tool of a task.
    func open(_ body: JSONValue, as persona: Persona = .sam) async throws -> Answer {
        try await post("/v1/tool-launches", as: persona, json: body)
    }

    func opening(_ task: String, as persona: Persona = .sam) async throws -> Opening {
        try Self.opening(try await open(["taskId": .text(task)], as: persona))
    }

    static func opening(_ answer: Answer) throws -> Opening {
        try #require(answer.status == 201, "\(answer.text)")
        let parts = (answer.json["redirectTo"]?.text ?? "").split(separator: "?", maxSplits: 1)
        let items = try #require(Form.items(Array((parts.last ?? "").utf8)))
        return Opening(
            login: Dictionary(items.map { ($0.name, $0.value) }) { $1 },
            address: parts.first.map(String.init) ?? "")
    }

    /// Comes back from the tool, as the page `/lti/authorize` asks.
    func authorize(
        _ opening: Opening, as persona: Persona = .sam, _ more: [String: JSONValue] = [:]
    ) async throws -> Answer {
        let own: [String: JSONValue] = [
            "clientId": .text(opening.login["client_id"] ?? ""),
            "redirectUri": .text(FakeTool.launchURL), "responseType": "id_token",
            "responseMode": "form_post", "scope": "openid", "prompt": "none", "nonce": "n-1",
            "state": "s t", "loginHint": .text(opening.login["login_hint"] ?? ""),
            "messageHint": .text(opening.login["lti_message_hint"] ?? ""),
        ]
        let body = own.merging(more) { $1 }
        return try await post(
            "/v1/tool-launches/authorization", as: persona,
            json: .object(JSONObject(body.map { ($0, $1) })))
    }

    /// The claims of the message, verified with the published keys.
    func claims(_ answer: Answer, for tool: MadeTool) async throws -> JSONObject {
        try #require(answer.status == 200, "\(answer.text)")
        let published = try await get("/lti/jwks", as: nil)
        let keys = try #require(KeySet(published.json))
        return try IDToken(
            verifying: answer.json["idToken"]?.text ?? "", with: keys,
            expecting: .init(issuer: FakeTool.issuer, clientID: tool.id, nonce: "n-1"),
            now: Clock.system.now
        ).claims
    }

    /// Everything at once: what the tool learns when somebody opens the task.
    func launched(
        _ task: String, in tool: MadeTool, as persona: Persona = .sam
    ) async throws -> JSONObject {
        let opening = try await opening(task, as: persona)
        return try await claims(try await authorize(opening, as: persona), for: tool)
    }

    // MARK: As a tool

    static let allScopes = [
        "https://purl.imsglobal.org/spec/lti-ags/scope/lineitem.readonly",
        "https://purl.imsglobal.org/spec/lti-ags/scope/result.readonly",
        "https://purl.imsglobal.org/spec/lti-ags/scope/score",
        "https://purl.imsglobal.org/spec/lti-nrps/scope/contextmembership.readonly",
        "https://purl.imsglobal.org/spec/lti-ags/scope/lineitem",
    ]

    func askForToolToken(
        _ assertion: String, scopes: [String] = TestSchool.allScopes,
        _ more: [String: String] = [:]
    ) async throws -> Answer {
        let form = [
            "grant_type": "client_credentials",
            "client_assertion_type": "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
            "client_assertion": assertion, "scope": scopes.joined(separator: " "),
        ].merging(more) { $1 }
        let body = form.filter { !$0.value.isEmpty }
            .map { "\($0.key)=\(percentEncode($0.value))" }.joined(separator: "&")
        return try await send(
            .post, "/lti/token", token: nil, body: Array(body.utf8),
            headers: [("Content-Type", "application/x-www-form-urlencoded")])
    }

    func toolToken(
        of tool: MadeTool, by fake: FakeTool, scopes: [String] = TestSchool.allScopes
    ) async throws -> String {
        let answer = try await askForToolToken(fake.assertion(tool.id), scopes: scopes)
        try #require(answer.status == 200, "\(answer.text)")
        return answer.json["access_token"]?.text ?? ""
    }

    func asTool(_ path: String, token: String) async throws -> Answer {
        try await send(.get, path, token: token)
    }

    /// Reports a score, and lets the worker store it.
    func score(
        _ fields: [String: JSONValue], at task: String, in group: ClassID? = nil, token: String
    ) async throws -> Answer {
        let own: [String: JSONValue] = [
            "activityProgress": "Completed", "gradingProgress": "FullyGraded",
            "timestamp": .text(Clock.system.now.description), "scoreGiven": 7, "scoreMaximum": 10,
        ]
        let body = own.merging(fields) { $1 }
        let answer = try await send(
            .post,
            "/lti/classes/\((group ?? biology).uuid)/line-items/\(task)/scores", token: token,
            body: JSONValue.object(JSONObject(body.map { ($0, $1) })).withoutNulls.bytes,
            headers: [("Content-Type", "application/vnd.ims.lis.v1.score+json")])
        try storeScores()
        return answer
    }

    /// As the worker of a running service does.
    func storeScores() throws {
        try sql(
            """
            select school.store_uploads(organization_id, person_id, array[upload_id])
              from school.upload order by position
            """)
    }

    /// What is stored of anybody's work at a task.
    func stored(_ task: String) throws -> Int {
        try sql(
            """
            select count(*) as count from school.activity_assignment
             where task_id = \(try #require(UUID(task)))
            """)[0].int("count")
    }
}
