import Crypto
import HTTPWire
import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

/// The answer to a sign-in, taken apart.
struct SignedIn {
    let answer: Answer

    var accessToken: String { answer.json["accessToken"]?.text ?? "" }
    var refreshToken: String { answer.json["refreshToken"]?.text ?? "" }
    var deviceToken: String { answer.json["deviceToken"]?.text ?? "" }
    var mustChangePassword: Bool? { answer.json["mustChangePassword"]?.bool }
}

extension TestSchool {
    func trySignIn(
        _ managedID: String, _ password: String = Persona.password, app: String? = nil,
        device: String? = nil
    ) async throws -> Answer {
        var members: [(String, JSONValue)] = [
            ("managedId", .text(managedID)), ("password", .text(password)),
        ]
        if let app { members.append(("bundleId", .text(app))) }
        if let device { members.append(("deviceToken", .text(device))) }
        let body = JSONValue.object(JSONObject(members))
        return try await post("/v1/sign-in", as: nil, json: body)
    }

    func signIn(
        _ persona: Persona, _ password: String = Persona.password, app: String? = nil
    ) async throws -> SignedIn {
        let answer = try await trySignIn(persona.managedID, password, app: app)
        try #require(answer.status == 200, "\(answer.text)")
        return SignedIn(answer: answer)
    }

    func refresh(_ token: String) async throws -> Answer {
        try await post("/v1/sign-in/refresh", as: nil, json: ["refreshToken": .text(token)])
    }

    /// The status of `GET /v1/me`: 200 for anyone whose token is good.
    func status(of token: String) async throws -> Int {
        try await send("GET", "/v1/me", token: token).status
    }

    func changePassword(
        _ token: String, from password: String, to newPassword: String
    ) async throws -> Answer {
        let body: JSONValue = ["password": .text(password), "newPassword": .text(newPassword)]
        return try await send("PUT", "/v1/me/password", token: token, body: body.bytes)
    }

    /// Gives a persona a temporary password, bypassing the API.
    func setTemporaryPassword(_ persona: Persona, _ password: String) throws {
        try sql(
            """
            update school.credential
               set password_record = \(Scrypt.hash(password, at: .ofTests)), is_temporary = true,
                   expires_at = now() + interval '90 days'
             where person_id = \(id(persona))
            """)
    }

    func countEvents(_ kind: String, about persona: Persona) throws -> Int {
        try sql(
            """
            select count(*) as count from school.audit_event
             where kind = \(kind) and person_id = \(id(persona))
            """)[0].int("count")
    }
}

extension TestSchool {
    /// Makes a person somebody who never signed in, by any way.
    func makeNewcomer(_ persona: Persona) throws {
        try sql("delete from school.credential where person_id = \(id(persona))")
        try sql("update school.person set first_sign_in_at = null where person_id = \(id(persona))")
    }
}
