import HTTPWire
import JSONBytes
import Postgres
import School
import TestKit
import Testing

/// A sign-in with a provider that has begun.
struct BegunSignIn {
    let providerID: String
    let secret: String
    let redirect: String
}

extension TestSchool {
    /// Connects an issuer to Hillside, and returns the id of the provider.
    func connect(
        _ issuer: FakeIssuer, as persona: Persona = .ada, _ more: JSONValue = [:]
    ) async throws -> String {
        var body = JSONObject([
            ("kind", "other"), ("name", "School account"), ("issuer", .text(issuer.url)),
            ("clientId", .text(FakeIssuer.clientID)),
            ("clientSecret", .text(FakeIssuer.clientSecret)),
        ])
        for member in more.object!.members {
            body[member.key] = member.value.isNull ? Optional.none : member.value
        }
        let answer = try await post("/v1/sign-in-providers", as: persona, json: .object(body))
        try #require(answer.status == 201, "\(answer.text)")
        return try #require(answer.json["id"]?.text)
    }

    func begin(with providerID: String) async throws -> BegunSignIn {
        let answer = try await post(
            "/v1/sign-in/with-provider/beginning", as: nil,
            json: ["providerId": .text(providerID)])
        try #require(answer.status == 200, "\(answer.text)")
        return BegunSignIn(
            providerID: providerID, secret: answer.json["secret"]?.text ?? "",
            redirect: answer.json["redirectTo"]?.text ?? "")
    }

    func finish(
        _ begun: BegunSignIn, _ back: (code: String, state: String), _ more: JSONValue = [:]
    ) async throws -> Answer {
        var body = JSONObject([
            ("providerId", .text(begun.providerID)), ("secret", .text(begun.secret)),
            ("state", .text(back.state)), ("code", .text(back.code)),
            ("browser", ["shared": true, "userAgent": "Firefox"]),
        ])
        for member in more.object!.members { body[member.key] = member.value }
        return try await post("/v1/sign-in/with-provider", as: nil, json: .object(body))
    }

    /// Goes the whole way with an account at the issuer.
    func signIn(
        with providerID: String, at issuer: FakeIssuer, _ account: JSONValue? = nil
    ) async throws -> Answer {
        if let account { issuer.change { [account] in $0.account = account.object! } }
        let begun = try await begin(with: providerID)
        return try await finish(begun, try issuer.visit(begun.redirect))
    }

    /// The reasons in the audit events of sign-ins that failed, the oldest first.
    func refusals() throws -> [String] {
        try sql(
            """
            select details ->> 'reason' as reason from school.audit_event
             where kind = 'signInFailure' and details ? 'reason' order by arrived_at, event_id
            """
        ).map { try $0.text("reason") }
    }

    func count(_ table: Statement) throws -> Int {
        try sql("select count(*) as count from school.\(fragment: table)")[0].int("count")
    }
}

/// An account at an issuer with a verified address.
func account(_ subject: String, _ address: String, verified: JSONValue = true) -> JSONValue {
    ["sub": .text(subject), "email": .text(address), "email_verified": verified]
}

/// What is changed so that something no longer fits, and a part of what is said about it.
struct Misfit: Sendable {
    let changes: JSONValue
    let says: String

    init(_ changes: JSONValue, _ says: String) {
        self.changes = changes
        self.says = says
    }
}
