import Foundation
import School
import TestKit
import Testing

@testable import ServerKit

/// A tool whose LTI 1.3 is not ours, against the built program.
@Suite struct ToolsOfOthers {
    @Test func `a tool made with PyLTI1p3 offers content and reports a score`() async throws {
        try await withSchool { school in
            let homeroom = school.homeroom.with("HOMEROOM_LOCAL_TOOLS", "on")
            let server = try await WalkedServer(homeroom)
            defer { server.stop() }
            let script = URL(filePath: TestDatabase.sqlFolder).deletingLastPathComponent()
                .appending(path: "deploy/launching").path
            let run = try await server.run(
                """
                export ADMINISTRATOR='\(Persona.ada.token)' CLASS='\(TestIDs.biology.uuid)'
                export TEACHER='\(Persona.tom.managedID)' STUDENT='\(Persona.sam.managedID)'
                export PASSWORD='\(Persona.password)'
                exec '\(script)' "$URL"
                """, homeroom)
            #expect(run.status == 0, "\(run.output)\(run.complaints)")
            #expect(run.output.contains("PyLTI1p3 offered content"))
        }
    }
}
