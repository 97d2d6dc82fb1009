import Crypto
import HTTPWire
import JSONBytes
import School
import TestKit
import Testing
import Values

/// A service account as it was shown when it was created.
struct MadeAccount {
    let id: String
    let secret: String

    /// `Authorization` with both.
    var basic: (String, String) {
        ("Authorization", "Basic " + Base64.encode(Array("\(id):\(secret)".utf8)))
    }
}

extension TestSchool {
    func makeServiceAccount(
        _ role: Standing = .provisioner, as persona: Persona = .ada
    ) async throws -> MadeAccount {
        let answer = try await post(
            "/v1/service-accounts", as: persona,
            json: ["name": "School information system", "role": .text(role.rawValue)])
        try #require(answer.status == 201, "\(answer.text)")
        return MadeAccount(
            id: answer.json["clientId"]?.text ?? "", secret: answer.json["clientSecret"]?.text ?? ""
        )
    }

    /// Asks for a token with a form.
    func askForToken(
        _ form: String = "grant_type=client_credentials", headers: [(String, String)] = [],
        type: String? = "application/x-www-form-urlencoded", from address: String = "127.0.0.1"
    ) async throws -> Answer {
        try await send(
            "POST", "/oauth/token", token: nil, body: Array(form.utf8),
            headers: headers + (type.map { [("Content-Type", $0)] } ?? []), from: address)
    }

    /// An access token of an account.
    func token(of account: MadeAccount) async throws -> String {
        let answer = try await askForToken(headers: [account.basic])
        try #require(answer.status == 200, "\(answer.text)")
        return answer.json["access_token"]?.text ?? ""
    }
}
