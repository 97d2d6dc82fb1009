import FaultyWire
import TestKit
import Testing

@testable import ServerKit

/// A pooler that gives each transaction another session is named at the start, not discovered at a sign-in.
@Suite struct Poolers {
    private static let words = [
        "organization", "create", "--name", "Oak", "--domain", "oak.example",
        "--administrator", "ada@oak.example",
    ]

    @Test func `a pooler that shares sessions is refused`() async throws {
        try await withSchool { school in
            let pooler = try FakePooler(
                to: TestDatabase.shared().socketFolder, keepsSessions: false)
            defer { pooler.stop() }
            let homeroom = Homeroom(
                databaseURL: school.ownerURL + " user=school_server host='\(pooler.host)'")
            for words in [Self.words, ["serve", "--listen", "127.0.0.1:0"]] {
                let refused = try await homeroom.run(words)
                #expect(refused.status == 1)
                #expect(refused.complaints.contains("stands a connection pooler"))
                #expect(refused.complaints.contains("pool_mode = session"))
            }
        }
    }

    @Test func `a pooler that keeps a session for each connection is used, and reported`()
        async throws
    {
        try await withSchool { school in
            let pooler = try FakePooler(to: TestDatabase.shared().socketFolder, keepsSessions: true)
            defer { pooler.stop() }
            let homeroom = Homeroom(
                databaseURL: school.ownerURL + " user=school_server host='\(pooler.host)'")
            let run = try await homeroom.run(Self.words)
            #expect(run.status == 0, "\(run.complaints)")
            #expect(run.complaints.contains("a connection pooler is in front of the database"))
        }
    }
}
