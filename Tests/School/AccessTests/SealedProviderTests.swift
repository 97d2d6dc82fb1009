import Crypto
import Glibc
import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

/// How the client secrets of sign-in providers lie in the database.
@Suite struct SealedProviders {
    private let tom = account("t", Persona.tom.managedID)

    /// The whole rows, as a backup and an archive have them.
    private func rows(_ school: TestSchool) throws -> String {
        try school.sql("select json_agg(p)::text as text from school.sign_in_provider as p")[0]
            .text("text")
    }

    /// Seals the secret of the only provider with a key that no server has.
    private func sealElsewhere(_ provider: String, _ school: TestSchool) throws {
        let id = try #require(UUID(provider))
        let key = try #require(SealingKey(SealingKey.random()))
        let sealed = SealedSecret(
            Array(FakeIssuer.clientSecret.utf8),
            for: SecretContext.signInProvider(id, at: "https://id.example", of: school.hillside),
            with: key)
        try school.sql(
            "update school.sign_in_provider set sealed_secret = \(sealed.bytes), key_id = \(key.id)"
        )
    }

    @Test func `a client secret cannot be read where it is stored, and still proves who asks`()
        async throws
    {
        let issuer = FakeIssuer()
        try await withSchool(client: issuer) { school in
            let provider = try await school.connect(issuer)
            let stored = try rows(school)
            #expect(stored.contains(FakeIssuer.clientID))
            #expect(!stored.contains(FakeIssuer.clientSecret))
            #expect(try school.count("sign_in_provider where client_secret is null") == 1)
            #expect(try await school.signIn(with: provider, at: issuer, tom).status == 200)
        }
    }

    @Test func `what an earlier version stored is sealed once, and works before and after`()
        async throws
    {
        let issuer = FakeIssuer()
        try await withSchool(client: issuer) { school in
            let provider = try await school.connect(issuer)
            try school.sql(
                """
                update school.sign_in_provider
                   set sealed_secret = null, key_id = null, client_secret = \(FakeIssuer.clientSecret)
                """)
            #expect(try rows(school).contains(FakeIssuer.clientSecret))
            #expect(try await school.signIn(with: provider, at: issuer, tom).status == 200)
            let sealing = SecretSealing(
                in: school.database, with: CredentialKey(at: school.credentialsKey))
            let first = await school.onItsLoop { () async -> [Int]? in
                guard let first = try? await sealing.run(), let second = try? await sealing.run()
                else { return nil }
                return [first, second]
            }
            #expect(first == [1, 0])
            #expect(try !rows(school).contains(FakeIssuer.clientSecret))
            #expect(try await school.signIn(with: provider, at: issuer, tom).status == 200)
        }
    }

    @Test func `a server without the key makes none of its own where another is in use`()
        async throws
    {
        let issuer = FakeIssuer()
        try await withSchool(client: issuer) { school in
            _ = try await school.connect(issuer)
            let second = try await school.connect(FakeIssuer("https://second.example"))
            let id = try #require(UUID(second))
            try school.sql(
                """
                update school.sign_in_provider set sealed_secret = null, key_id = null, client_secret = 'as it is'
                 where sign_in_provider_id = \(id)
                """)
            let path = school.credentialsKey + ".second"
            let elsewhere = SecretSealing(in: school.database, with: CredentialKey(at: path))
            let sealed = await school.onItsLoop { try? await elsewhere.run() }
            #expect(sealed == nil && access(path, F_OK) != 0)
            #expect(try rows(school).contains("as it is"), "every server can still use it")
            let here = SecretSealing(
                in: school.database, with: CredentialKey(at: school.credentialsKey))
            #expect(await school.onItsLoop { try? await here.run() } == 1)
        }
    }

    @Test func `a secret entered anew takes the place of one that was not sealed yet`()
        async throws
    {
        let issuer = FakeIssuer()
        try await withSchool(client: issuer) { school in
            let provider = try await school.connect(issuer)
            try school.sql(
                """
                update school.sign_in_provider
                   set sealed_secret = null, key_id = null, client_secret = 'an older one'
                """)
            let changed = try await school.patch(
                "/v1/sign-in-providers/\(provider)", as: .ada,
                json: ["clientSecret": .text(FakeIssuer.clientSecret)])
            #expect(changed.status == 200, "\(changed.text)")
            #expect(try !rows(school).contains("an older one"))
            #expect(try await school.signIn(with: provider, at: issuer, tom).status == 200)
        }
    }

    @Test func `with another key nobody signs in until the secret is entered again`() async throws {
        let issuer = FakeIssuer()
        try await withSchool(client: issuer) { school in
            let provider = try await school.connect(issuer)
            try sealElsewhere(provider, school)
            let begun = try await school.post(
                "/v1/sign-in/with-provider/beginning", as: nil,
                json: ["providerId": .text(provider)])
            #expect(begun.status == 502 && begun.code == "provider_secret_lost", "\(begun.text)")
            let path = "/v1/sign-in-providers/\(provider)"
            let checked = try await school.post("\(path)/check", as: .ada)
            #expect(checked.status == 502 && checked.code == "provider_secret_lost")
            let entered = try await school.patch(
                path, as: .ada, json: ["clientSecret": .text(FakeIssuer.clientSecret)])
            #expect(entered.status == 200)
            #expect(try await school.post("\(path)/check", as: .ada).status == 200)
            #expect(try await school.signIn(with: provider, at: issuer, tom).status == 200)
        }
    }

    @Test func `a secret moved to another issuer does not open`() async throws {
        let issuer = FakeIssuer("https://id.attacker.example")
        try await withSchool(client: issuer) { school in
            let provider = try await school.connect(FakeIssuer())
            try school.sql("update school.sign_in_provider set issuer = \(issuer.url)")
            let begun = try await school.post(
                "/v1/sign-in/with-provider/beginning", as: nil,
                json: ["providerId": .text(provider)])
            #expect(begun.code == "provider_secret_lost")
            #expect(issuer.asked.isEmpty, "nobody was asked")
        }
    }
}
