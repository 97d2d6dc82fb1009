import Foundation
import Postgres
import TestKit
import Testing

@testable import ServerKit

/// Signing in with an issuer of OpenID Connect that others wrote, by `deploy/sign-in`.
@Suite struct WalkWithAnIssuer {
    @Test func `who may is signed in with an issuer that others wrote, and no one else`()
        async throws
    {
        let databases = try TestDatabase.shared()
        try databases.connect(to: "postgres").execute("create database issuer_walk")
        defer { databases.drop("issuer_walk") }
        let homeroom = Homeroom(
            databaseURL: databases.url("issuer_walk", user: "school_server"),
            migrationURL: databases.url("issuer_walk", user: nil)
        ).with("HOMEROOM_LOCAL_PROVIDERS", "on")
        #expect(try await homeroom("migrate").status == 0)
        let server = try await WalkedServer(homeroom)
        defer { server.stop() }
        let deploy = URL(filePath: TestDatabase.sqlFolder).deletingLastPathComponent()
            .appending(path: "deploy/sign-in").path
        let walked = try await server.run("exec '\(deploy)' \"$URL\"\n", homeroom)
        #expect(walked.status == 0, "\(walked.output)\(walked.complaints)")
        #expect(walked.output.contains("Everyone who may is signed in, and no one else."))
    }
}
