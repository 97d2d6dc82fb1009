import Crypto
import HTTPWire
import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

/// Which token caused an event.
@Suite struct EventsOfTokens {
    private func items(_ query: String, in school: TestSchool) async throws -> [JSONValue] {
        let answer = try await school.get("/v1/audit-events?\(query)", as: .ada)
        #expect(answer.status == 200, "\(answer.text)")
        return answer.items
    }

    @Test func `everything that a token or a session did can be listed`() async throws {
        try await withSchool { school in
            let signedIn = try await school.post(
                "/v1/sign-in", as: nil,
                json: [
                    "managedId": .text(Persona.tom.managedID), "password": .text(Persona.password),
                ])
            let token = try #require(signedIn.json["accessToken"]?.text)
            let session = try school.sql("select session_id from school.session")[0].uuid(
                "session_id")
            for path in ["/v1/audit-events", "/v1/developer-teams"] {
                #expect(try await school.send(.get, path, token: token).status == 403)
            }
            #expect(try await school.get("/v1/developer-teams", as: .tom).status == 403)
            let reset = try await school.post(
                "/v1/people/\(school.id(.sam).uuid)/temporary-password", as: .petra)
            #expect(reset.status == 200)

            let tokenID = String(SHA256.digest(Array(token.utf8)).description.prefix(16))
            let byToken = try await items("tokenId=\(tokenID)", in: school)
            #expect(
                byToken.map { $0["details"]?["route"]?.text } == [
                    "/v1/developer-teams", "/v1/audit-events",
                ])
            #expect(byToken.allSatisfy { $0["tokenId"]?.text == tokenID })
            #expect(byToken.allSatisfy { $0["sessionId"]?.text == session.description })
            #expect(try await items("sessionId=\(session)", in: school) == byToken)
            #expect(try await items("tokenId=0123456789abcdef", in: school).isEmpty)

            let plain = try await items("kind=temporaryPassword", in: school)
            let petras = SHA256.digest(Array(Persona.petra.token.utf8)).description.prefix(16)
            #expect(plain.map { $0["tokenId"]?.text } == [String(petras)])
            #expect(plain.first?["sessionId"]?.text == nil)
            let anonymous = try await items("kind=signIn", in: school)
            #expect(anonymous.count == 1)
            #expect(anonymous.first?["tokenId"]?.text == nil)
            let all = try await school.get("/v1/audit-events", as: .ada)
            #expect(!all.text.contains(token))
        }
    }
}
