import TestKit
import Testing
import WireKit

@testable import ServerKit

/// The pages beside the API, on the listener of the built program.
@Suite struct PagesServed {
    @Test func `pages and the API share a listener`() async throws {
        try await withServer { _, server in
            let start = try ask(port: server.port, "GET", "/", token: nil)
            #expect(start.status == 303 && start["location"] == "/sign-in")
            let door = try ask(port: server.port, "GET", "/sign-in", token: nil)
            #expect(door.status == 200)
            #expect(door["content-type"] == "text/html; charset=utf-8")
            #expect(door.text.contains("<form"))
            let style = try #require(door.text.firstMatch(of: /href="(\/assets\/style-[^"]+)"/)).1
            #expect(try ask(port: server.port, "GET", String(style), token: nil).status == 200)
            #expect(try ask(port: server.port, "GET", "/healthz", token: nil).status == 200)
            let unknown = try ask(port: server.port, "GET", "/nowhere", token: nil)
            #expect(unknown.status == 404)
            #expect(unknown["content-type"] == "application/problem+json")
        }
    }

    @Test func `the setting leaves them out`() async throws {
        try await withSchool { school in
            let server = try await RunningServer(school.homeroom.with("HOMEROOM_PAGES", "off"))
            defer { server.stop() }
            for path in ["/", "/sign-in", "/favicon.ico"] {
                let answer = try ask(port: server.port, "GET", path, token: nil)
                #expect(answer.status == 404, "\(path)")
                #expect(answer["content-type"] == "application/problem+json")
            }
            #expect(try ask(port: server.port, "GET", "/healthz", token: nil).status == 200)
        }
    }

    @Test(arguments: [
        "HOMEROOM_PAGES", "HOMEROOM_LOCAL_PROVIDERS", "HOMEROOM_LOCAL_WEBHOOKS",
        "HOMEROOM_LOCAL_SOURCES", "HOMEROOM_LOCAL_TOOLS",
    ])
    func `anything but on and off is refused`(name: String) async throws {
        let homeroom = Homeroom(databaseURL: "host=/nowhere").with(name, "maybe")
        let refused = try await homeroom("serve")
        #expect(refused.status == 64)
        #expect(refused.complaints.contains("\(name) should be on"))
    }
}
