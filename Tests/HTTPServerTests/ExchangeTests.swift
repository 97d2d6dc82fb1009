import HTTPServer
import HTTPWire
import Testing

@Suite struct Exchanges {
    let get = "GET /hello?x=1 HTTP/1.1\r\nHost: x\r\n\r\n"

    @Test func `two requests are answered on one connection`() async throws {
        try await withServer { request in
            .text("\(request.segments) \(request.query["x"] ?? "-")")
        } _: { server in
            let client = TestClient(port: server.port)
            for _ in 0..<2 {
                client.send(get)
                let answer = try #require(client.answer())
                #expect(answer.status == 200)
                #expect(answer.body == "[\"hello\"] 1")
                #expect(answer.head.contains("\r\nDate: "))
            }
        }
    }
}
