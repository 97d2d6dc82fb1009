import HTTPServer
import HTTPWire
import Testing

@Suite struct Bodies {
    @Test func `a large body waits in the client until the handler pulls it`() async throws {
        let size = 32 << 20
        let notes = Notes()
        try await withServer { request in
            request.body.limits = BodyLimits(maximumBytes: size)
            while !notes.all.contains("pull") { await request.pause(milliseconds: 5) }
            var largest = 0
            do {
                while let piece = try await request.body.next() {
                    largest = max(largest, piece.count)
                }
            } catch {
                return .text("\(error)", status: 500)
            }
            return .text("\(request.body.receivedBytes) \(largest <= 65_536)")
        } _: { server in
            let client = TestClient(port: server.port)
            client.send("PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: \(size)\r\n\r\n")
            let sent = client.sendUntilFull([UInt8](repeating: 7, count: size))
            #expect(sent < size)
            notes.add("pull")
            client.send([UInt8](repeating: 7, count: size - sent))
            #expect(client.answer()?.body == "\(size) true")
        }
    }

    @Test func `a client that waits is told to continue when the body is wanted`()
        async throws
    {
        try await withServer { request in
            guard request.segments == ["wanted"] else { return .text("no", status: 403) }
            let body = try? await request.body.collect(upTo: 100)
            return .text(String(decoding: body ?? [], as: UTF8.self))
        } _: { server in
            let head = "HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n"
            let client = TestClient(port: server.port)
            client.send("PUT /wanted " + head)
            #expect(client.answer()?.status == 100)
            client.send("ab")
            #expect(client.answer()?.body == "ab")
            client.send("PUT /unwanted " + head)
            let rest = client.receiveAll()
            #expect(rest.hasPrefix("HTTP/1.1 403"))
            #expect(rest.contains("Connection: close"))
        }
    }

    @Test func `a small body that is not read is dropped and the connection continues`()
        async throws
    {
        try await withServer { request in
            .text("\(request.segments)")
        } _: { server in
            let client = TestClient(port: server.port)
            let body = String(repeating: "x", count: 60_000)
            client.send("POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 60000\r\n\r\n" + body)
            #expect(client.answer()?.body == "[\"a\"]")
            client.send("GET /b HTTP/1.1\r\nHost: x\r\n\r\n")
            #expect(client.answer()?.body == "[\"b\"]")
        }
    }

    @Test func `a large body that is not read ends the connection after the answer`()
        async throws
    {
        try await withServer { request in
            .text("no", status: 403)
        } _: { server in
            let client = TestClient(port: server.port)
            let body = String(repeating: "x", count: 500_000)
            client.send("POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 500000\r\n\r\n" + body)
            let all = client.receiveAll()
            #expect(all.hasPrefix("HTTP/1.1 403"))
            #expect(all.contains("Connection: close"))
            #expect(all.hasSuffix("no"))
        }
    }

    @Test func `a chunked body that grows beyond its limit is refused`() async throws {
        try await withServer { request in
            do {
                return .text("\(try await request.body.collect(upTo: 10).count)")
            } catch {
                return .text("", status: (error as? HTTPRefusal)?.status ?? 500)
            }
        } _: { server in
            let head = "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
            let client = TestClient(port: server.port)
            client.send(head + "A\r\n0123456789\r\n0\r\n\r\n")
            #expect(client.answer()?.body == "10")
            client.send(head + "A\r\n0123456789\r\n1\r\na\r\n")
            #expect(client.answer()?.status == 413)
            #expect(client.receiveAll().isEmpty)
        }
    }

    @Test func `a body that trickles in is abandoned`() async throws {
        try await withServer(impatient) { request in
            request.body.limits = BodyLimits(deadlineSeconds: 0)
            do {
                return .text("\(try await request.body.next() ?? [])")
            } catch {
                return .text("", status: (error as? HTTPRefusal)?.status ?? 500)
            }
        } _: { server in
            let client = TestClient(port: server.port)
            client.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\n")
            #expect(client.answer()?.status == 408)
            #expect(client.receiveAll().isEmpty)
        }
    }
}
