import Crypto
import HTTPWire
import JSONBytes
import School
import TestKit
import Testing

@Suite struct WrongDeveloperTokens {
    let team = Team()

    @Test func `an address that tries tokens which no key verifies is told to wait`() async throws {
        try await withSchool { school in
            try await school.register(team)
            let address = "198.51.100.7"
            let known = team.token()
            let before = try await school.rivers(token: known, from: address)
            #expect(before.code == "CONTEXT_NOT_FOUND")

            let wrong = team.token(key: ES256PrivateKey())
            var answer = try await school.rivers(token: wrong, from: address)
            #expect(answer.status == 403)
            for _ in 0..<1000 where answer.status == 403 {
                answer = try await school.rivers(token: wrong, from: address)
            }
            #expect(answer.status == 429)
            #expect(answer.code == "TOO_MANY_REQUESTS")
            #expect(answer.header("retry-after") == "1")

            let after = try await school.rivers(token: known, from: address)
            #expect(after.code == "CONTEXT_NOT_FOUND", "whoever is known goes on")
            let fresh = try await school.rivers(token: team.token(), from: address)
            #expect(fresh.code == "CONTEXT_NOT_FOUND", "and so does a token that nobody saw before")
            let elsewhere = try await school.rivers(token: wrong, from: "198.51.100.8")
            #expect(elsewhere.status == 403)
        }
    }
}

extension TestSchool {
    fileprivate func rivers(token: String, from address: String) async throws -> Answer {
        let path = percentEncode(#"["org.example.rivermaths"]"#)
        return try await send(
            .get, "/v1/contexts?environment=production&locale=en-gb&identifierPath=\(path)",
            token: token, from: address)
    }
}
