import Postgres
import School
import TestKit
import Testing

@testable import OneRoster

/// A replica answers pages; places are noted on the primary.
@Suite struct TraversalOnReplicaTests {
    @Test func `pages from a replica go on where the client was`() async throws {
        try await withSchool(in: TestDatabase.replicated()) { school in
            let client = school.rosterClient
            let before = try await client.count("users", limit: 100)
            for follows in [false, true] {
                let step: (Int) async throws -> Void = { page in
                    guard page == 2 else { return }
                    try school.sql(
                        """
                        update school.person set given_name = given_name || '!'
                         where organization_id = \(school.hillside)
                        """)
                }
                let read =
                    follows
                    ? try await client.follow("users", limit: 2, between: step)
                    : try await client.count("users", limit: 2, between: step)
                #expect(read.ids == before.ids)
                #expect(Set(read.revisions).count == 2)
            }
        }
    }
}
