import AloneKit
import JSONBytes
import Postgres
import TestKit
import Testing

@testable import ServerKit

/// Two servers over one database, one of which is killed while a system reads the roster.
@Suite(.alone) struct RosterTraversals {
    private let users = "/ims/oneroster/rostering/v1p2/users"

    private func ids(_ answer: Answer) -> [String] {
        (answer.json["users"]?.array ?? []).compactMap { $0["sourcedId"]?.text }
    }

    @Test func `a page is read on any server, and goes on in the present when its own is killed`()
        async throws
    {
        try await withSchool { school in
            let token = school.token(.rosterReader)
            let first = try await ServerProcess(school.homeroom)
            let second = try await ServerProcess(school.homeroom)
            defer { second.stop() }
            func ask(_ server: ServerProcess, _ query: String) async throws -> Answer {
                try #require(await server.call("GET", "\(users)?\(query)", token: token))
            }
            let whole = ids(try await ask(first, "limit=1000"))
            try #require(whole.count > 6)
            let begun = try await ask(first, "limit=2")
            let revision = try #require(begun.header("Roster-Revision"))
            try school.sql(
                "update school.person set deactivated_at = now() where source_id = \(whole[1])")
            let next = try await ask(second, "limit=2&offset=2")
            #expect(next.header("Roster-Revision") == revision)
            #expect(ids(next) == Array(whole[2..<4]))
            first.kill()
            let after = "limit=2&offset=4&after=\(whole[3])&revision=\(revision)"
            var page = try await ask(second, after)
            // PostgreSQL notices that its client is gone when it looks.
            while page.header("Roster-Revision") == revision {
                try await Task.sleep(for: .milliseconds(20))
                page = try await ask(second, after)
            }
            #expect(page.status == 200)
            #expect(ids(page) == Array(whole[4..<6]), "nobody is missed")
            // The traversal is now of the present, which the second server keeps.
            let present = try #require(page.header("Roster-Revision"))
            try school.sql(
                "update school.person set deactivated_at = now() where source_id = \(whole[4])")
            let last = try await ask(
                second, "limit=2&offset=6&after=\(whole[5])&revision=\(present)")
            #expect(last.header("Roster-Revision") == present)
            #expect(ids(last) == Array(whole[6...].prefix(2)))
        }
    }
}
