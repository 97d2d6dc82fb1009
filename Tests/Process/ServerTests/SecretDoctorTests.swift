import Foundation
import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

@testable import ServerKit

/// What the doctor says of the secrets of schools and of the key that seals them.
@Suite struct SecretDoctor {
    private func findings(_ homeroom: Homeroom) async throws -> [String: String] {
        let run = try await homeroom("doctor", "--json")
        var found: [String: String] = [:]
        for finding in run.json["deployment"]?["findings"]?.array ?? [] {
            found[finding["code"]?.text ?? ""] = finding["severity"]?.text
        }
        return found
    }

    private func connectProvider(_ school: TestSchool) async throws {
        let made = try await school.post(
            "/v1/sign-in-providers", as: .ada,
            json: [
                "kind": "google", "name": "Google", "clientId": "c", "clientSecret": "a word",
            ])
        try #require(made.status == 201, "\(made.text)")
    }

    @Test func `a key that opens every secret is well, and a missing or another one is an error`()
        async throws
    {
        try await withSchool { school in
            try school.beginAuditTrails()
            let absent = FileManager.default.temporaryDirectory
                .appending(path: "absent-\(Foundation.UUID().uuidString)").path
            let without = school.homeroom.with("HOMEROOM_CREDENTIALS_KEY", absent)
            let with = school.homeroom.with("HOMEROOM_CREDENTIALS_KEY", school.credentialsKey)
            #expect(try await findings(without)["credentials_key"] == nil, "there is no secret yet")
            try await connectProvider(school)
            let well = try await findings(with)
            #expect(well["credentials_key"] == nil && well["secrets_not_sealed"] == nil)
            #expect(try await findings(without)["credentials_key"] == "error")
            #expect(!FileManager.default.fileExists(atPath: absent), "the doctor makes no key")
            try "no key".write(toFile: absent, atomically: true, encoding: .utf8)
            defer { try? FileManager.default.removeItem(atPath: absent) }
            #expect(try await findings(without)["credentials_key"] == "error")
        }
    }

    @Test func `a secret that is stored as it is gets a warning until a server has sealed it`()
        async throws
    {
        try await withSchool { school in
            try school.beginAuditTrails()
            let homeroom = school.homeroom.with("HOMEROOM_CREDENTIALS_KEY", school.credentialsKey)
            try await connectProvider(school)
            try school.sql(
                "update school.sign_in_provider set sealed_secret = null, key_id = null, client_secret = 'a word'"
            )
            #expect(try await findings(homeroom)["secrets_not_sealed"] == "warning")
            let sealing = SecretSealing(
                in: school.database, with: CredentialKey(at: school.credentialsKey))
            let sealed = await school.onItsLoop { try? await sealing.run() }
            #expect(sealed == 1)
            let found = try await findings(homeroom)
            #expect(found["secrets_not_sealed"] == nil && found["credentials_key"] == nil)
        }
    }

    @Test func `a former secret counts until it signs no more`() async throws {
        try await withSchool { school in
            try school.sql(
                """
                insert into school.webhook (organization_id, webhook_id, name, url, kinds, sealed_secret, key_id,
                                            sealed_former_secret, former_key_id, former_until)
                values (\(school.hillside), gen_random_uuid(), 'Library', 'https://library.example/', '{class}',
                        sha256('new'), 'here', sha256('old'), 'lost', now() + interval '1 hour')
                """)
            let keys: Statement = "select key_id from school.keys_of_secrets() order by key_id"
            #expect(try school.sql(keys).map { try $0.text("key_id") } == ["here", "lost"])
            try school.sql("update school.webhook set former_until = now() - interval '1 hour'")
            #expect(try school.sql(keys).map { try $0.text("key_id") } == ["here"])
        }
    }
}
