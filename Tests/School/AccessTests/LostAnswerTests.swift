import API
import HTTPWire
import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

/// A refresh token that comes again because its answer was lost.
@Suite struct LostAnswers {
    @Test func `a lost answer is replaced by a fresh pair`() async throws {
        try await withSchool { school in
            let signedIn = try await school.signIn(.tom)
            let lost = SignedIn(answer: try await school.refresh(signedIn.refreshToken))
            let second = SignedIn(answer: try await school.refresh(signedIn.refreshToken))
            let third = SignedIn(answer: try await school.refresh(signedIn.refreshToken))
            for answer in [lost, second, third] { #expect(answer.answer.status == 200) }
            #expect(Set([lost, second, third].map(\.refreshToken)).count == 3)
            #expect(try await school.status(of: lost.accessToken) == 401)
            #expect(try await school.status(of: second.accessToken) == 401)
            #expect(try await school.status(of: third.accessToken) == 200)
            #expect(try await school.refresh(third.refreshToken).status == 200)
            #expect(try school.countEvents("tokenRevoked", about: .tom) == 0)
        }
    }

    enum Use: CaseIterable { case access, refresh }

    @Test(arguments: Use.allCases) func `not after either half of it was used`(use: Use)
        async throws
    {
        try await withSchool { school in
            let signedIn = try await school.signIn(.tom)
            var pair = SignedIn(answer: try await school.refresh(signedIn.refreshToken))
            switch use {
            case .access: #expect(try await school.status(of: pair.accessToken) == 200)
            case .refresh:
                pair = SignedIn(answer: try await school.refresh(pair.refreshToken))
                #expect(pair.answer.status == 200)
            }
            #expect(try await school.refresh(signedIn.refreshToken).status == 401)
            #expect(try await school.status(of: pair.accessToken) == 401)
            #expect(try await school.refresh(pair.refreshToken).status == 401)
            #expect(try school.countEvents("tokenRevoked", about: .tom) == 1)
        }
    }

    @Test func `not after a minute, which begins with the first use`() async throws {
        try await withSchool { school in
            let signedIn = try await school.signIn(.tom)
            #expect(try await school.refresh(signedIn.refreshToken).status == 200)
            try school.sql(
                """
                update school.refresh_token set rotated_at = rotated_at - interval '55 seconds'
                 where rotated_at is not null
                """)
            let pair = SignedIn(answer: try await school.refresh(signedIn.refreshToken))
            #expect(pair.answer.status == 200)
            try school.sql(
                """
                update school.refresh_token set rotated_at = rotated_at - interval '6 seconds'
                 where rotated_at is not null
                """)
            #expect(try await school.refresh(signedIn.refreshToken).status == 401)
            #expect(try await school.status(of: pair.accessToken) == 401)
        }
    }

    @Test func `whoever sends the refresh token of a replaced answer ends the session`()
        async throws
    {
        try await withSchool { school in
            let signedIn = try await school.signIn(.tom)
            let lost = SignedIn(answer: try await school.refresh(signedIn.refreshToken))
            let pair = SignedIn(answer: try await school.refresh(signedIn.refreshToken))
            #expect(try await school.refresh(lost.refreshToken).status == 401)
            #expect(try await school.status(of: pair.accessToken) == 401)
            #expect(try await school.refresh(pair.refreshToken).status == 401)
        }
    }
}
