import Foundation
import TestKit
import Testing

@testable import ServerKit

/// A tester of SCIM servers that is not ours, against the built program.
@Suite struct ProvisioningByOthers {
    @Test func `scim2-tester writes users and classes`() async throws {
        try await withSchool { school in
            let server = try await WalkedServer(school.homeroom)
            defer { server.stop() }
            let script = URL(filePath: TestDatabase.sqlFolder).deletingLastPathComponent()
                .appending(path: "deploy/provisioning").path
            let run = try await server.run(
                """
                export TOKEN='\(Persona.directoryWriter.token)'
                exec '\(script)' "$URL"
                """, school.homeroom)
            #expect(run.status == 0, "\(run.complaints)")
            #expect(run.output.contains("scim2-tester wrote users and classes"))
        }
    }
}
