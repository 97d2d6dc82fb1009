import API
import Crypto
import HTTPClient
import HTTPWire
import JSONBytes
import School
import Synchronization
import TestKit
import Testing
import Values

@testable import Access

/// What becomes of a sign-in when the provider is not as it should be.
@Suite struct TroubleOfProviders {
    @Test(arguments: [
        (OutgoingFailure.slow, 502, "in time"), (.tooLong, 502, "too long"),
        (.unreachable, 502, "cannot be reached"), (.foreignPlace, 502, "inside a network"),
        (.untrusted, 502, "certificate"), (.redirects, 502, "redirect"),
        (.busy, 503, "Try again"),
    ])
    func `each failure is named, to people and to the administrator`(
        failure: OutgoingFailure, status: Int, words: String
    ) async throws {
        let issuer = FakeIssuer()
        try await withSchool(client: issuer) { school in
            let provider = try await school.connect(issuer)
            issuer.change { $0.answers["openid-configuration"] = .failure(failure) }
            for (path, persona) in [
                ("/v1/sign-in/with-provider/beginning", nil as Persona?),
                ("/v1/sign-in-providers/\(provider)/check", .ada),
            ] {
                let answer = try await school.post(
                    path, as: persona,
                    json: persona == nil ? ["providerId": .text(provider)] : nil)
                #expect(answer.status == status, "\(path)")
                #expect(answer.json["detail"]?.text?.contains(words) == true, "\(answer.text)")
                #expect((answer.header("Retry-After") != nil) == (status == 503))
            }
            issuer.change { $0.answers = [:] }
            let check = try await school.post("/v1/sign-in-providers/\(provider)/check", as: .ada)
            #expect(check.status == 200 && check.json["keys"] == 1)
            #expect(check.json["tokenEndpoint"] == "https://id.example/token")
            // What the check learned is known.
            _ = try await school.begin(with: provider)
        }
    }

    @Test(
        arguments: [
            Misfit(["issuer": "https://id.example/"], "another issuer"),
            Misfit(["issuer": nil], "another issuer"),
            Misfit(["token_endpoint": nil], "no usable token_endpoint"),
            Misfit(["jwks_uri": "file:///etc/passwd"], "no usable jwks_uri"),
            Misfit(
                ["authorization_endpoint": "javascript:alert(1)"],
                "no usable authorization_endpoint"),
            Misfit(
                ["authorization_endpoint": "http://id.example/authorize"], "begin with https://"),
        ])
    func `a description that does not fit is refused`(
        misfit: Misfit
    ) async throws {
        let issuer = FakeIssuer()
        try await withSchool(client: issuer) { school in
            let provider = try await school.connect(issuer)
            issuer.change { $0.metadata = misfit.changes.object! }
            let answer = try await school.post("/v1/sign-in-providers/\(provider)/check", as: .ada)
            #expect(answer.status == 502)
            #expect(answer.json["detail"]?.text?.contains(misfit.says) == true, "\(answer.text)")
        }
    }

    @Test func `an issuer without keys, without JSON, or without the page`() async throws {
        let issuer = FakeIssuer()
        try await withSchool(client: issuer) { school in
            let provider = try await school.connect(issuer)
            let answers: [(String, OutgoingAnswer, String)] = [
                ("keys", OutgoingAnswer(status: 200, body: Array(#"{"keys":[]}"#.utf8)), "no key"),
                ("keys", OutgoingAnswer(status: 200, body: Array("<html>".utf8)), "JSON"),
                ("openid-configuration", OutgoingAnswer(status: 404, body: []), "answers 404"),
            ]
            for (path, answer, words) in answers {
                issuer.change { $0.answers = [path: .success(answer)] }
                let check = try await school.post(
                    "/v1/sign-in-providers/\(provider)/check", as: .ada)
                #expect(check.status == 502)
                #expect(check.json["detail"]?.text?.contains(words) == true, "\(check.text)")
            }
        }
    }

    @Test func `a wrong secret is named, and a way to send it is found`() async throws {
        let issuer = FakeIssuer()
        try await withSchool(client: issuer) { school in
            let provider = try await school.connect(issuer, ["clientSecret": "wrong"])
            let tom = account("t", Persona.tom.managedID)
            let refused = try await school.signIn(with: provider, at: issuer, tom)
            #expect(refused.status == 502)
            #expect(refused.json["detail"]?.text?.contains("client secret") == true)
            let changed = try await school.patch(
                "/v1/sign-in-providers/\(provider)", as: .ada,
                json: ["clientSecret": .text(FakeIssuer.clientSecret)])
            #expect(changed.status == 200)
            #expect(try await school.signIn(with: provider, at: issuer).status == 200)
            issuer.change {
                $0.metadata = JSONObject([
                    ("token_endpoint_auth_methods_supported", ["client_secret_post"])
                ])
            }
            _ = try await school.post("/v1/sign-in-providers/\(provider)/check", as: .ada)
            #expect(try await school.signIn(with: provider, at: issuer).status == 200)
        }
    }

    @Test func `a new key is looked for once, and not for every token that names one`()
        async throws
    {
        let issuer = FakeIssuer()
        try await withSchool(client: issuer) { school in
            let provider = try await school.connect(issuer)
            let tom = account("t", Persona.tom.managedID)
            #expect(try await school.signIn(with: provider, at: issuer, tom).status == 200)
            issuer.change {
                $0.key = ES256PrivateKey()
                $0.keyID = "K2"
            }
            #expect(try await school.signIn(with: provider, at: issuer).status == 200)
            #expect(issuer.asked.filter { $0 == "keys" }.count == 2)
            let stranger = ES256PrivateKey()
            issuer.change {
                $0.replace = { _ in JWT.sign(JSONObject(), keyID: "K3", with: stranger) }
            }
            for _ in 1...3 {
                #expect(try await school.signIn(with: provider, at: issuer).status == 502)
            }
            #expect(issuer.asked.filter { $0 == "keys" }.count == 2)
        }
    }

    @Test func `each organization asks in its own name, and waits for nothing that another asked`()
        async throws
    {
        let issuer = FakeIssuer()
        try await withSchool(client: issuer) { school in
            let provider = try await school.connect(issuer)
            let other = try await school.connect(issuer, as: .olga)
            issuer.change { $0.answers["openid-configuration"] = .failure(.slow) }
            let failed = try await school.post(
                "/v1/sign-in/with-provider/beginning", as: nil,
                json: ["providerId": .text(provider)])
            #expect(failed.status == 502)
            issuer.change { $0.answers = [:] }
            let signedIn = try await school.signIn(
                with: other, at: issuer, account("o-1", Persona.omar.managedID))
            #expect(signedIn.status == 200, "\(signedIn.text)")
            let parties = issuer.parties
            #expect(
                parties.names
                    == ["\(school.hillside.uuid)", "\(school.elsewhere.uuid)"] as Set<String?>)
            #expect(parties.patience == [3000])
        }
    }

    @Test func `an issuer is asked once an hour, and after a failure not at once`() async throws {
        let issuer = FakeIssuer()
        let clock = HandClock()
        let issuers = Issuers(client: issuer, clock: Clock { clock.now })
        let place = Issuers.place(issuer.url, of: TestIDs.hillside)
        for _ in 1...3 { _ = try await issuers.known.find(place) }
        #expect(issuer.asked == ["openid-configuration", "keys"])
        clock.advance(3600)
        _ = try await issuers.known.find(place)
        #expect(issuer.asked.count == 4)

        clock.advance(3600)
        issuer.change { $0.answers["openid-configuration"] = .failure(.unreachable) }
        for _ in 1...3 {
            await #expect(throws: Problem.self) { _ = try await issuers.known.find(place) }
        }
        #expect(issuer.asked.count == 5)
        issuer.change { $0.answers = [:] }
        clock.advance(10)
        _ = try await issuers.known.find(place)
        #expect(issuer.asked.count == 7)
    }
}

/// A clock that stands still until it is moved.
private final class HandClock: Sendable {
    private let time = Mutex(Timestamp(milliseconds: 1_795_000_000_000))

    var now: Timestamp { time.withLock { $0 } }

    func advance(_ seconds: Int64) {
        time.withLock { $0 = Timestamp(milliseconds: $0.milliseconds + seconds * 1000) }
    }
}
