import API
import Crypto
import HTTPWire
import JSONBytes
import School
import TestKit
import Testing
import Values

@Suite struct WrongDeveloperTokens {
    let team = Team()

    @Test func `an address that tries tokens no key verifies is asked to wait`() async throws {
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
            #expect(after.code == "CONTEXT_NOT_FOUND", "known callers go on")
            let fresh = try await school.rivers(token: team.token(), from: address)
            #expect(fresh.code == "CONTEXT_NOT_FOUND", "and so does a token never seen before")
            let elsewhere = try await school.rivers(token: wrong, from: "198.51.100.8")
            #expect(elsewhere.status == 403)
        }
    }

    @Test func `a token that was valid is refused a minute after it expires`() async throws {
        try await withSchool { school in
            try await school.register(team)
            school.time.stop()
            let made = school.time.now.milliseconds / 1000
            let token = team.token(minutes: 1, now: school.time.now)
            let refusedFrom = Timestamp(milliseconds: (made + 120) * 1000)
            let address = "198.51.100.9"
            // It is remembered from the first call on.
            let fresh = try await school.rivers(token: token, from: address)
            #expect(fresh.code == "CONTEXT_NOT_FOUND")

            school.time.stop(at: Timestamp(milliseconds: refusedFrom.milliseconds - 1))
            let last = try await school.rivers(token: token, from: address)
            #expect(last.code == "CONTEXT_NOT_FOUND")
            school.time.stop(at: refusedFrom)
            let refused = try await school.rivers(token: token, from: address)
            #expect(refused.status == 403, "\(refused.text)")
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
