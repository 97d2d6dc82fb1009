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

    @Test func `a system that counts goes on at any server where it was`() async throws {
        try await withSchool { school in
            let token = school.token(.rosterReader)
            let first = try await ServerProcess(school.homeroom)
            let second = try await ServerProcess(school.homeroom)
            defer { second.stop() }
            func ask(_ server: ServerProcess, _ query: String) async throws -> [String] {
                let answer = try #require(
                    await server.call("GET", "\(users)?\(query)", token: token))
                try #require(answer.status == 200, "\(answer.text)")
                return ids(answer)
            }
            let whole = try await ask(first, "limit=1000")
            try #require(whole.count > 6)
            #expect(try await ask(first, "limit=2") == Array(whole[..<2]))
            try school.sql(
                "update school.person set deactivated_at = now() where source_id = \(whole[1])")
            first.kill()
            #expect(try await ask(second, "limit=2&offset=2") == Array(whole[2..<4]))
            try school.sql(
                "update school.person set deactivated_at = now() where source_id = \(whole[4])")
            #expect(try await ask(second, "limit=2&offset=4") == Array(whole[5..<7]))
        }
    }
}
