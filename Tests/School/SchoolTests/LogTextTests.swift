import Postgres
import School
import TestKit
import Testing

/// What the log says about failures.
@Suite struct LogText {
    @Test func `the value in a data exception stays out of the log`() async throws {
        try await withSchool { school in
            let error = try #require(
                throws: PostgresError.self
            ) { try school.sql("select lower('Lovelace')::integer") }
            guard case .server(let server) = error else {
                Issue.record("no answer of the server")
                return
            }
            #expect(server.message.contains("lovelace"), "PostgreSQL repeats the value")
            #expect(logText(of: error) == "22P02")
            #expect("\(error)" == "22P02", "and nothing prints more of it")
        }
    }

    @Test func `other failures are logged with their message`() async throws {
        try await withSchool { school in
            let error = try #require(
                throws: PostgresError.self
            ) { try school.sql("select 1 from school.nowhere") }
            #expect(logText(of: error).hasPrefix("42P01: relation"))
        }
    }
}
