import Foundation
import JSONBytes
import Postgres
import School
import TestKit
import Testing

@testable import ServerKit

/// Systems and apps whose OpenID Connect is not ours, against the built program.
@Suite struct SignInOfOtherClients {
    @Test func `Authlib, python-social-auth, idpyoidc and Apache sign people in as they are`()
        async throws
    {
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
            let email = "tom@hillside.example"
            try school.sql(
                """
                update school.person set email = \(email) where person_id = \(school.id(.tom))
                """)
            let script = URL(filePath: TestDatabase.sqlFolder).deletingLastPathComponent()
                .appending(path: "deploy/relying").path
            let run = try await server.run(
                """
                export ADMINISTRATOR='\(Persona.ada.token)' BUNDLE='\(school.quizzler)'
                export EMAIL='\(email)' MANAGED_ID='\(Persona.tom.managedID)' PASSWORD='\(Persona.password)'
                exec '\(script)' "$URL"
                """, school.homeroom)
            #expect(run.status == 0, "\(run.complaints)")
            for sentence in [
                "Authlib signed a person in to two systems with PKCE and two without",
                "python-social-auth signed a person in", "idpyoidc signed a person in",
                "Apache showed a person a page that it protects, and signed the person out",
            ] { #expect(run.output.contains(sentence), "\(sentence)") }
        }
    }
}
