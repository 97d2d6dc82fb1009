import Foundation
import TestKit
import Testing
import WaitKit

@testable import ServerKit

/// A receiver of webhooks that is not ours, against the built program.
@Suite struct WebhooksOfOtherReceivers {
    @Test func `the library of Standard Webhooks verifies every call`() async throws {
        try await withSchool { school in
            let homeroom = school.homeroom.with("HOMEROOM_LOCAL_WEBHOOKS", "on")
            let server = try await WalkedServer(homeroom)
            defer { server.stop() }
            let script = URL(filePath: TestDatabase.sqlFolder).deletingLastPathComponent()
                .appending(path: "deploy/receiving").path
            let run = try await server.run(
                """
                export ADMINISTRATOR='\(Persona.ada.token)'
                exec '\(script)' "$URL"
                """, homeroom)
            #expect(run.status == 0, "\(run.output)\(run.complaints)")
            #expect(run.output.contains("Every call was verified"))
            try await eventually {
                try server.metrics().value("homeroom_webhooks", ["state": "working"]) == 1
            }
        }
    }
}
