import Foundation
import TestKit
import Testing

@testable import ServerKit

/// A client of OneRoster that is not ours, against the built program.
@Suite struct RosteringByOthers {
    @Test func `timeback-oneroster reads the roster and grades`() async throws {
        try await withSchool { school in
            let server = try await WalkedServer(school.homeroom)
            defer { server.stop() }
            let script = URL(filePath: TestDatabase.sqlFolder).deletingLastPathComponent()
                .appending(path: "deploy/rostering").path
            let run = try await server.run(
                """
                export ADMINISTRATOR='\(Persona.ada.token)'
                exec '\(script)' "$URL"
                """, school.homeroom)
            #expect(run.status == 0, "\(run.complaints)")
            #expect(run.output.contains("timeback-oneroster read the roster and graded"))
        }
    }
}
