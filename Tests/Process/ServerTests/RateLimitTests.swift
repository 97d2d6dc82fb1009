import JSONBytes
import TestKit
import Testing

@testable import ServerKit

/// The limit on requests at a running server.
@Suite struct RateLimit {
    @Test func `a token that asks too much waits, even when another one signs out meanwhile`()
        async throws
    {
        try await withSchool { school in
            let limited = school.homeroom.with("HOMEROOM_RATE_LIMIT", "1")
            let server = try await ServerProcess(limited)
            defer { server.stop() }
            func ask() async throws -> Answer {
                try #require(await server.call("GET", "/v1/me", token: Persona.ada.token))
            }
            var answer = try await ask()
            var answered = 0
            while answer.status == 200, answered < 1000 {
                answered += 1
                answer = try await ask()
            }
            #expect(answered >= 10)
            #expect(answer.status == 429)
            #expect(answer.code == "too_many_requests")
            #expect(answer.header("retry-after") == "1")

            let leaving = await server.call("POST", "/v1/sign-out", token: Persona.tom.token)
            #expect(leaving?.status == 204)
            var refused = 0
            for _ in 0..<10 where try await ask().status == 429 { refused += 1 }
            #expect(refused > 4, "not ten at once again")
        }
    }

    @Test func `a limit that is not a number is refused by its name`() async throws {
        let homeroom = Homeroom(databaseURL: "host=/nowhere").with("HOMEROOM_RATE_LIMIT", "plenty")
        let refused = try await homeroom("serve")
        #expect(refused.status == 64)
        #expect(refused.complaints.contains("HOMEROOM_RATE_LIMIT"))
        #expect(!refused.complaints.contains("plenty"))
    }

    @Test func `a cost of passwords that no server should pay is refused by its name`()
        async throws
    {
        let homeroom = Homeroom(databaseURL: "host=/nowhere").with(
            "HOMEROOM_PASSWORD_COST", "ln=20,r=8,p=1")
        let refused = try await homeroom("serve")
        #expect(refused.status == 64)
        #expect(refused.complaints.contains("HOMEROOM_PASSWORD_COST should be a cost of Argon2id"))
    }
}
