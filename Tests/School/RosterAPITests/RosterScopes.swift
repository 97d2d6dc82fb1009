import Crypto
import HTTPWire
import JSONBytes
import School
import TestKit
import Testing

@testable import RosterAPI

/// Tokens of roster readers that are limited to scopes of the Roster API.
@Suite struct RosterScopes {
    private func token(_ school: TestSchool, _ scope: String) async throws -> Answer {
        let account = try await school.post(
            "/v1/service-accounts", as: .ada,
            json: ["name": "Reader", "role": "rosterReader"])
        let id = try #require(account.json["clientId"]?.text)
        let secret = try #require(account.json["clientSecret"]?.text)
        return try await school.send(
            "POST", "/oauth/token", token: nil,
            body: Array("grant_type=client_credentials&scope=\(scope)".utf8),
            headers: [
                ("Content-Type", "application/x-www-form-urlencoded"),
                ("Authorization", "Basic \(Base64.encode(Array("\(id):\(secret)".utf8)))"),
            ])
    }

    @Test(arguments: [
        ("edu.users.read", [200, 200, 403, 403]),
        ("edu.classes.read", [200, 403, 200, 403]),
        ("edu.users.read%20edu.classes.read", [200, 200, 200, 200]),
        ("rosterReader", [200, 200, 200, 200]),
        ("https://purl.imsglobal.org/spec/or/v1p2/scope/roster.readonly", [403, 403, 403, 403]),
    ])
    func `a token reads what its scopes name`(scope: String, statuses: [Int]) async throws {
        try await withSchool { school in
            let answer = try await token(school, scope)
            #expect(answer.status == 200, "\(answer.text)")
            let token = try #require(answer.json["access_token"]?.text)
            let classUsers = "classes/\(school.biology.uuid)/users"
            var found: [Int] = []
            for path in ["organization", "users", "classes", classUsers] {
                found.append(
                    try await school.send("GET", "/rosterapi/v1/\(path)", token: token).status)
            }
            #expect(found == statuses)
            let roster = try await school.send(
                "GET", "/ims/oneroster/rostering/v1p2/users", token: token)
            #expect((roster.status == 200) == !scope.hasPrefix("edu."))
        }
    }

    @Test func `the answer names the scopes, and a wrong one is refused`() async throws {
        try await withSchool { school in
            let both = try await token(school, "edu.users.read%20edu.classes.read")
            #expect(both.json["scope"] == "edu.users.read edu.classes.read")
            let all = try await token(school, "rosterReader")
            #expect(all.json["scope"]?.text?.contains("edu.users.read") == true)
            for scope in ["edu.users.write", "edu.users.read%20provisioner"] {
                let refused = try await token(school, scope)
                #expect(refused.json["error"] == "invalid_scope", "\(scope)")
            }
        }
    }
}
