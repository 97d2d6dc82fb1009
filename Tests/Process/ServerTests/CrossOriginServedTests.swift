import Foundation
import TestKit
import Testing

@testable import ServerKit

/// `HOMEROOM_CORS_ORIGINS`, on the listener of the built program.
@Suite struct OtherOriginsServed {
    private static let setting = "HOMEROOM_CORS_ORIGINS"

    /// The head of an answer, as a browser would ask for it.
    private func head(
        _ server: RunningServer, _ path: String, _ arguments: String...
    ) async throws -> String {
        let curl = Process()
        curl.executableURL = URL(filePath: "/usr/bin/curl")
        curl.arguments =
            ["-sS", "-o", "/dev/null", "-D", "-", "http://127.0.0.1:\(server.port)\(path)"]
            + ["-H", "Origin: https://app.example"] + arguments
        let outcome = try await Homeroom.finish(curl)
        #expect(outcome.status == 0, "\(outcome.complaints)")
        return outcome.output.lowercased()
    }

    @Test func `the API answers the origins that are listed, and the pages none`() async throws {
        try await withSchool { school in
            let listed = "https://lab.example:8443, https://app.example"
            let server = try await RunningServer(school.homeroom.with(Self.setting, listed))
            defer { server.kill() }
            let allowed = "access-control-allow-origin: https://app.example\r\n"
            for path in ["/v1/people", "/nothing", "/oauth/token"] {
                let asked = try await head(
                    server, path, "-X", "OPTIONS", "-H", "Access-Control-Request-Method: POST")
                #expect(asked.hasPrefix("http/1.1 204"), "\(path)")
                #expect(asked.contains(allowed), "\(path)")
            }
            #expect(try await head(server, "/v1/me").contains(allowed))
            #expect(try await head(server, "/openapi.json").contains(allowed))
            for path in ["/sign-in", "/classes", "/"] {
                let page = try await head(server, path)
                #expect(!page.contains("access-control-"), "\(path): \(page)")
            }
        }
    }

    @Test func `without it, no origin is answered`() async throws {
        try await withSchool { school in
            let server = try await RunningServer(school.homeroom)
            defer { server.kill() }
            let answer = try await head(server, "/openapi.json")
            #expect(answer.hasPrefix("http/1.1 200"))
            #expect(!answer.contains("access-control-"))
        }
    }
}
