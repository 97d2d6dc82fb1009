import AloneKit
import HTTPClient
import Testing

/// What a server may do to the one who asks it.
@Suite struct AskingServers {
    private func local(_ change: (inout HTTPClient.Limits) -> Void = { _ in }) -> HTTPClient {
        var limits = HTTPClient.Limits()
        change(&limits)
        return HTTPClient(reachesLocal: true, limits: limits)
    }

    private static let ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nhi"

    /// How a call fails; `nil` if it does not.
    private func failure(
        of client: HTTPClient, _ address: WebAddress, party: String? = nil
    ) async -> OutgoingFailure? {
        do {
            _ = try await client.send(OutgoingRequest(address, party: party))
            return nil
        } catch {
            return error as? OutgoingFailure
        }
    }

    @Test func `a call brings fields and a form, and the answer with its status`() async throws {
        let server = try RudeServer(Self.ok.replacing("200 OK", with: "400 Bad Request"))
        let answer = try await local().send(
            OutgoingRequest(
                try server.address("/token?x=1"), headers: [("Authorization", "Basic abc")],
                body: Array("code=1%202".utf8)))
        #expect(answer.status == 400 && answer.body == Array("hi".utf8))
        #expect(server.request.hasPrefix("POST /token?x=1 HTTP/1.1\r\n"))
        #expect(server.request.contains("\r\nAuthorization: Basic abc\r\n"))
        #expect(server.request.hasSuffix("\r\n\r\ncode=1%202"))
        #expect(!server.request.contains("Accept-Encoding"))
    }

    @Test func `this machine is reached only if that is allowed`() async throws {
        let server = try RudeServer(Self.ok)
        #expect(await failure(of: local(), try server.address()) == nil)
        let careful = HTTPClient()
        #expect(await failure(of: careful, try server.address()) == .notSecure)
        for host in ["127.0.0.1", "localhost", "[::1]", "[::ffff:127.0.0.1]"] {
            let address = try server.address(host: host, scheme: "https")
            #expect(await failure(of: careful, address) == .foreignPlace, "\(host)")
        }
    }

    @Test(arguments: ["10.0.0.1", "192.168.1.1", "169.254.169.254", "[fd00::1]", "0.0.0.0"])
    func `networks are not reached by default`(host: String) async throws {
        let address = try #require(WebAddress("https://\(host)/"))
        #expect(await failure(of: HTTPClient(), address) == .foreignPlace)
    }

    @Test(arguments: [
        ("8.8.8.8", OutgoingFailure.notSecure), ("10.0.0.1", .notSecure),
        ("169.254.169.254", .foreignPlace),
    ])
    func `without TLS only this machine is reached, and secrets of clouds never`(
        host: String, expected: OutgoingFailure
    ) async throws {
        let address = try #require(WebAddress("http://\(host)/"))
        #expect(await failure(of: local(), address) == expected)
    }

    @Test func `a redirect is not followed`() async throws {
        let target = try RudeServer(Self.ok)
        let server = try RudeServer(
            "HTTP/1.1 302 Found\r\nLocation: \(try target.address())\r\nContent-Length: 0\r\n\r\n")
        #expect(await failure(of: local(), try server.address()) == .redirects)
        #expect(target.request == "")
    }

    @Test(.timeLimit(.minutes(1))) func `a server that does not answer is given up`() async throws {
        let server = try RudeServer(Self.ok, holds: true)
        defer { server.release() }
        let client = local { $0.milliseconds = 300 }
        #expect(await failure(of: client, try server.address()) == .slow)
    }

    @Test func `a server that never ends its answer is cut off`() async throws {
        let endless = try RudeServer(
            "HTTP/1.1 200 OK\r\n\r\n" + String(repeating: "x", count: 65536), repeats: 1000)
        #expect(await failure(of: local(), try endless.address()) == .tooLong)
        let head = try RudeServer(
            "HTTP/1.1 200 OK\r\n" + String(repeating: "A: bcdefghijklm\r\n", count: 40_000))
        #expect(await failure(of: local(), try head.address()) != nil)
    }

    @Test func `a long answer can be cut off, and still has its status`() async throws {
        let endless = try RudeServer(
            "HTTP/1.1 503 Service Unavailable\r\nRetry-After: 120\r\n\r\n"
                + String(repeating: "x", count: 65536), repeats: 1000)
        let client = local { $0.ignoresRest = true }
        let answer = try await client.send(OutgoingRequest(try endless.address()))
        #expect(answer.status == 503 && answer.retryAfter == 120)
        #expect(answer.body.count <= 262_144)
        let plain = try RudeServer(Self.ok)
        let other = try await client.send(OutgoingRequest(try plain.address()))
        #expect(other.retryAfter == nil && other.body == Array("hi".utf8))
    }

    @Test func `a server that is not there, or does not speak TLS`() async throws {
        let server = try RudeServer(Self.ok)
        #expect(
            await failure(of: local(), try server.address(scheme: "https")) != nil)
        let address = try server.address()
        server.stop()
        #expect(await failure(of: local(), address) == .unreachable)
    }

    @Test func `who asks a slow server waits, and others do not`() async throws {
        let slow = try RudeServer(Self.ok, holds: true)
        let quick = try RudeServer(Self.ok)
        let client = local {
            $0.milliseconds = 60_000
            $0.running = 2
            $0.runningToOne = 1
            $0.waitingForOne = 1
        }
        let (slowAddress, quickAddress) = (
            try slow.address(), try quick.address(host: "localhost")
        )
        let otherPort = try quick.address()
        await withTaskGroup(of: OutgoingFailure?.self) { group in
            for _ in 0..<5 {
                group.addTask { await failure(of: client, slowAddress) }
            }
            // One is running, one waits, and neither ends before the server answers.
            for _ in 0..<3 { #expect(await group.next() == OutgoingFailure.busy) }
            #expect(await failure(of: client, otherPort) == .busy, "the same host")
            #expect(await failure(of: client, quickAddress) == nil)
            slow.release()
            for _ in 0..<2 { #expect(await group.next() == .some(nil)) }
        }
        #expect(await failure(of: client, slowAddress) == nil, "every turn was given back")
    }

    @Test func `a party that asks slow servers waits, and others do not`() async throws {
        let slow = try RudeServer(Self.ok, holds: true)
        let quick = try RudeServer(Self.ok)
        let client = local {
            $0.milliseconds = 60_000
            $0.running = 2
            $0.runningForParty = 1
            $0.waitingForParty = 1
        }
        let (slowAddress, quickAddress) = (try slow.address(), try quick.address())
        await withTaskGroup(of: OutgoingFailure?.self) { group in
            for _ in 0..<5 {
                group.addTask { await failure(of: client, slowAddress, party: "A") }
            }
            for _ in 0..<3 { #expect(await group.next() == OutgoingFailure.busy) }
            for party in ["B", nil] {
                #expect(await failure(of: client, quickAddress, party: party) == nil)
            }
            slow.release()
            for _ in 0..<2 { #expect(await group.next() == .some(nil)) }
        }
        #expect(await failure(of: client, slowAddress, party: "A") == nil)
    }
}
