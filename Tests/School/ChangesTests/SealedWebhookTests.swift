import Crypto
import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

/// How the secrets of webhooks lie in the database.
@Suite struct SealedWebhooks {
    private func bytes(of secret: String) throws -> [UInt8] {
        try #require(Base64.decode(String(secret.dropFirst("whsec_".count))))
    }

    /// How many rows have one of these secrets as it is.
    private func plain(_ secrets: [String], _ school: TestSchool) throws -> Int {
        try secrets.reduce(0) { sum, secret in
            let text = try bytes(of: secret).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }
            let found = try school.sql(
                """
                select count(*) as count from school.webhook as w
                 where strpos(to_json(w)::text, \(text.joined())) > 0
                """)
            return sum + (try found[0].int("count"))
        }
    }

    private func seal(_ school: TestSchool) async -> Int? {
        let sealing = SecretSealing(
            in: school.database, with: CredentialKey(at: school.credentialsKey))
        return await school.onItsLoop { try? await sealing.run() }
    }

    @Test func `what an earlier version stored is sealed with its successor, and both sign`()
        async throws
    {
        let receiver = Receiver()
        try await withSchool(client: receiver) { school in
            let webhook = try await RegisteredWebhook(in: school)
            #expect(try plain([webhook.secret], school) == 0)
            let older = try bytes(of: webhook.secret)
            try school.sql(
                "update school.webhook set secret = \(older), sealed_secret = null, key_id = null")
            #expect(try plain([webhook.secret], school) == 1)
            _ = try await school.post("\(webhook.path)/test", as: .ada)
            #expect(try receiver.calls[0].isSigned(with: webhook.secret))
            let replaced = try await school.post("\(webhook.path)/secret", as: .ada)
            let newer = try #require(replaced.json["secret"]?.text)
            #expect(try plain([webhook.secret, newer], school) == 1, "the former one")
            let until = replaced.json["formerSecretUntil"]
            #expect(await seal(school) == 1)
            #expect(await seal(school) == 0)
            #expect(try plain([webhook.secret, newer], school) == 0)
            let read = try await school.get(webhook.path, as: .ada)
            #expect(read.json["formerSecretUntil"] == until, "sealing replaces nothing")
            _ = try await school.post("\(webhook.path)/test", as: .ada)
            for secret in [webhook.secret, newer] {
                #expect(try receiver.calls[1].isSigned(with: secret))
            }
        }
    }

    @Test func `sealing the secret that is there replaces nothing`() async throws {
        let receiver = Receiver()
        try await withSchool(client: receiver) { school in
            let webhook = try await RegisteredWebhook(in: school)
            let older = try bytes(of: webhook.secret)
            try school.sql(
                "update school.webhook set secret = \(older), sealed_secret = null, key_id = null")
            #expect(await seal(school) == 1)
            let read = try await school.get(webhook.path, as: .ada)
            #expect(read.json["formerSecretUntil"] == .null)
            _ = try await school.post("\(webhook.path)/test", as: .ada)
            #expect(try receiver.calls[0].isSigned(with: webhook.secret))
        }
    }

    @Test func `with another key nothing is sent until the secret is replaced`() async throws {
        let receiver = Receiver()
        try await withSchool(client: receiver) { school in
            let webhook = try await RegisteredWebhook(in: school)
            let id = try school.sql("select webhook_id as id from school.webhook")[0].uuid("id")
            let key = try #require(SealingKey(SealingKey.random()))
            let sealed = SealedSecret(
                try bytes(of: webhook.secret),
                for: SecretContext.webhook(id, of: school.hillside), with: key)
            try school.sql(
                """
                alter table school.webhook disable trigger keep_former_secret;
                """)
            try school.sql(
                "update school.webhook set sealed_secret = \(sealed.bytes), key_id = \(key.id)")
            try school.sql("alter table school.webhook enable trigger keep_former_secret")
            _ = try await school.post("\(webhook.path)/test", as: .ada)
            #expect(receiver.calls.isEmpty)
            let attempts = try await webhook.deliveries(school)[0]["attempts"]?.array
            let failure = attempts?.first?["failure"]?.text
            #expect(failure == "The secret can no longer be decrypted. Replace it.")
            let replaced = try await school.post("\(webhook.path)/secret", as: .ada)
            let newer = try #require(replaced.json["secret"]?.text)
            _ = try await school.post("\(webhook.path)/test", as: .ada)
            #expect(receiver.calls.count == 1)
            #expect(try receiver.calls[0].isSigned(with: newer))
        }
    }
}
