import Crypto
import HTTPWire
import JSONBytes
import Postgres
import School
import TestKit
import Testing

@Suite struct KeysOfIDTokens {
    @Test func `the first question makes a key, which stays the same`() async throws {
        try await withSchool { school in
            #expect(try school.sql("select from school.signing_key").count == 0)
            async let one = school.get("/oauth/jwks", as: nil)
            async let two = school.get("/oauth/jwks", as: nil)
            let (first, second) = try await (one, two)
            #expect(first.status == 200 && first.text == second.text)
            #expect(first.json["keys"]?.array?.count == 2)
            let stored = try school.sql(
                "select key_id, private_key, purpose from school.signing_key order by purpose")
            #expect(try stored.map { try $0.text("purpose") } == ["idTokens", "idTokensRS256"])
            let rsa = try RS256PrivateKey(pem: stored[1].text("private_key")).publicJWK
            #expect(first.json["keys"]?[0] == rsa, "most libraries look for RS256")
            let curve = try ES256PrivateKey(pem: stored[0].text("private_key")).publicJWK
            #expect(first.json["keys"]?[1] == curve)
            #expect(try curve["kid"]?.text == stored[0].text("key_id"))
            #expect(try rsa["kid"]?.text == stored[1].text("key_id"))
            for member in ["d", "p", "q"] { #expect(!first.text.contains("\"\(member)\"")) }
        }
    }

    @Test func `of the keys that several processes offer at once one is taken`() async throws {
        try await withSchool { school in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for letter in ["a", "b", "c", "d"] {
                    group.addTask {
                        let process = try BlockingConnection(school.ownerURL)
                        try process.query(
                            """
                            select school.offer_signing_key(
                                       'idTokens', repeat(\(letter), 43), \(letter), '{}')
                            """)
                    }
                }
                try await group.waitForAll()
            }
            let kept = try school.sql(
                "select private_key, signs_from <= now() as signs from school.signing_key")
            #expect(kept.count == 1)
            #expect(try kept[0].bool("signs"))
            let current = try school.sql(
                "select private_key, is_due from school.current_signing_key('idTokens')")
            #expect(try current[0].text("private_key") == kept[0].text("private_key"))
            #expect(try !current[0].bool("is_due"))
        }
    }

    @Test(arguments: ["RS256", "ES256"])
    func `after ninety days the next key is published for a day, and then signs`(
        algorithm: String
    ) async throws {
        try await withSchool { school in
            let system = try await school.registerSystem(
                ["idTokenSignedResponseAlg": .text(algorithm)])
            let browser = try await school.signInWithBrowser(.sam)
            func keyID() async throws -> String {
                let tokens = try await school.signIn(browser, to: system)
                _ = try school.claims(of: tokens)
                return try school.header(of: tokens)["kid"]?.text ?? ""
            }
            func published() async throws -> [String] {
                try await school.get("/oauth/jwks", as: nil).json["keys"]?.array?
                    .filter { $0["alg"]?.text == algorithm }.compactMap { $0["kid"]?.text } ?? []
            }
            let first = try await keyID()
            func age(_ days: Int) throws {
                try school.sql(
                    """
                    update school.signing_key
                       set created_at = created_at - make_interval(days => \(days)::integer),
                           signs_from = signs_from - make_interval(days => \(days)::integer)
                    """)
            }
            try age(89)
            #expect(try await keyID() == first)
            #expect(try await published() == [first])
            try age(2)
            #expect(try await keyID() == first)
            let both = try await published()
            #expect(both.count == 2 && both[1] == first)
            try age(1)
            #expect(try await keyID() == both[0])
            #expect(try await published() == both, "tokens of the old one are still about")
            try age(1)
            #expect(try await published() == [both[0]])
        }
    }

    @Test func `the metadata leads to calls that are there`() async throws {
        try await withSchool { school in
            let answer = try await school.get(
                "/.well-known/openid-configuration", as: nil,
                headers: [("Host", "school.example:8443")])
            let issuer = "http://school.example:8443"
            #expect(answer.status == 200 && answer.json["issuer"]?.text == issuer)
            let paths = school.features.flatMap(\.endpoints).map(\.path)
            for name in ["token_endpoint", "userinfo_endpoint", "jwks_uri"] {
                let place = try #require(answer.json[name]?.text)
                #expect(paths.contains(String(place.dropFirst(issuer.count))), "\(place)")
            }
            #expect(answer.json["id_token_signing_alg_values_supported"] == ["RS256", "ES256"])
            #expect(
                answer.json["scopes_supported"]
                    == ["openid", "profile", "email", "roles", "classes"])
            #expect(answer.json["request_uri_parameter_supported"]?.bool == false)
        }
    }
}
