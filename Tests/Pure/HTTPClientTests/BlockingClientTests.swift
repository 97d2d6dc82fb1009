import AloneKit
import HTTPClient
import Testing

/// Calls on the calling thread, under the same rules as others.
@Suite struct BlockingCallsTests {
    private func client(_ change: (inout HTTPClient.Limits) -> Void = { _ in }) -> BlockingClient {
        var limits = HTTPClient.Limits()
        change(&limits)
        return BlockingClient(reachesLocal: true, limits: limits)
    }

    private func failure(_ client: BlockingClient, _ address: WebAddress) throws -> OutgoingFailure
    {
        try #require(throws: OutgoingFailure.self) {
            try client.perform(OutgoingRequest(address))
        }
    }

    @Test func `the fields of an answer are read, those of interim answers are not`() throws {
        let server = try RudeServer(
            "HTTP/1.1 103 Early Hints\r\nLink: <early>\r\n\r\n"
                + "HTTP/1.1 200 OK\r\nX-Total-Count:  17 \r\nLINK: <a>; rel=next\r\nlink: <b>; rel=last\r\n"
                + "Empty:\r\nContent-Length: 2\r\n\r\nhi")
        let answer = try client().perform(OutgoingRequest(server.address()))
        #expect(answer.status == 200 && answer.body == Array("hi".utf8))
        #expect(answer.field("x-total-count") == "17")
        #expect(answer.field("link") == "<a>; rel=next, <b>; rel=last")
        #expect(answer.field("empty") == "" && answer.field("absent") == nil)
    }

    @Test func `redirects are not followed, and private addresses not connected to`() throws {
        let server = try RudeServer(
            "HTTP/1.1 302 Found\r\nLocation: http://169.254.169.254/\r\nContent-Length: 0\r\n\r\n")
        #expect(try failure(client(), try server.address()) == .redirects)
        #expect(try failure(BlockingClient(), try server.address()) == .notSecure)
        #expect(
            try failure(BlockingClient(), try server.address(scheme: "https")) == .foreignPlace)
    }

    @Test(.timeLimit(.minutes(1))) func `slow bytes and long bodies end`() throws {
        let silent = try RudeServer("HTTP/1.1 200 OK\r\n\r\nx", holds: true)
        defer { silent.release() }
        #expect(try failure(client { $0.milliseconds = 300 }, try silent.address()) == .slow)
        let endless = try RudeServer(
            "HTTP/1.1 200 OK\r\n\r\n" + String(repeating: "x", count: 65536), repeats: 1000)
        #expect(try failure(client { $0.bytes = 100_000 }, try endless.address()) == .tooLong)
        let head = try RudeServer(
            "HTTP/1.1 200 OK\r\n" + String(repeating: "A: bcdefghijklm\r\n", count: 40_000))
        #expect(throws: OutgoingFailure.self) {
            try client { $0.bytes = 8 << 20 }.perform(OutgoingRequest(head.address()))
        }
    }
}
