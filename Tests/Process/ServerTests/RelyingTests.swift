import Foundation
import JSONBytes
import TestKit
import Testing

@testable import ServerKit

/// Systems and apps whose OpenID Connect is not ours, against the built program.
@Suite struct SignInOfOtherClients {
    @Test func `Authlib and Apache sign people in`() async throws {
        try await withSchool { school in
            let server = try await WalkedServer(school.homeroom)
            defer { server.stop() }
            let bought = try await school.post(
                "/v1/apps", as: .ada,
                json: [
                    "adamId": "990011223", "bundleId": .text(school.quizzler), "name": "Quizzler",
                    "productType": "App",
                ])
            #expect(bought.status == 201)
            let script = URL(filePath: TestDatabase.sqlFolder).deletingLastPathComponent()
                .appending(path: "deploy/relying").path
            let run = try await server.run(
                """
                export ADMINISTRATOR='\(Persona.ada.token)' BUNDLE='\(school.quizzler)'
                export MANAGED_ID='\(Persona.tom.managedID)' PASSWORD='\(Persona.password)'
                exec '\(script)' "$URL"
                """, school.homeroom)
            #expect(run.status == 0, "\(run.complaints)")
            #expect(run.output.contains("Authlib signed a person in to two systems"))
            #expect(run.output.contains("Apache showed a person a page"))
        }
    }
}
