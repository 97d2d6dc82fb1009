import HTTPServer
import HTTPWire
import Testing
import WireKit

/// What the engine puts on the wire for a handler's answer, byte by byte; only the moment is left out.
@Suite struct Serialisation {
    struct Case: Sendable, CustomTestStringConvertible {
        let section: String
        let sentence: String
        var request = "GET / HTTP/1.1␍␊"
        let response: HTTPResponse
        /// Everything until the server closes, as far as it follows the `Date`.
        let sent: WireText

        init(
            _ section: String, _ sentence: String, request: String = "GET / HTTP/1.1␍␊",
            _ response: HTTPResponse, _ sent: WireText
        ) {
            self.section = section
            self.sentence = sentence
            self.request = request
            self.response = response
            self.sent = sent
        }

        var testDescription: String { "\(section): \(sentence)" }
    }

    @Test(arguments: whole + streams)
    func `an answer is written like this`(row: Case) async throws {
        let response = row.response
        try await withServer(loops: 1) { _ in
            response
        } _: { server in
            let received = ask(server.port, row.request)
            #expect(WireText.showing(received) == WireText.showing(row.sent.bytes))
        }
    }

    @Test(arguments: unsafe)
    func `what could be read as something else is never sent`(field: ResponseField) async throws {
        try await withServer(loops: 1) { _ in
            HTTPResponse(status: 200, headers: [field], body: .bytes(Array("hello".utf8)))
        } _: { server in
            let received = String(decoding: ask(server.port, "GET / HTTP/1.1␍␊"), as: UTF8.self)
            #expect(received.hasPrefix("HTTP/1.1 500 Internal Server Error\r\nDate: "))
            #expect(!received.contains("Injected"))
            #expect(received.ranges(of: "HTTP/1.1").count == 1)
        }
    }

    private static let unsafe = [
        ResponseField("Location", "/a\r\nInjected: b"),
        ResponseField("Location", "/a\nInjected: b"),
        ResponseField("Location", "/a\r\r\nInjected: b"), ResponseField("Location", "/a\rInjected"),
        ResponseField("Location", "/a\0Injected"), ResponseField("Location", "/a\u{7F}Injected"),
        ResponseField("Note\r\nInjected", "b"), ResponseField("Note: Injected", "b"),
        ResponseField("Note Injected", "b"), ResponseField("", "Injected"),
    ]

    /// Sends one request that ends the connection; returns the answer with its `Date` replaced by `Date: now`.
    private func ask(_ port: UInt16, _ line: String) -> [UInt8] {
        let client = WireClient(port: port)
        let fields = "Host: school.example␍␊Connection: close␍␊X-Request-Id: 1␍␊␍␊"
        client.send(WireText(line + fields).bytes)
        var received: [UInt8] = []
        while case .bytes(let bytes) = client.receive() { received += bytes }
        let text = String(decoding: received, as: UTF8.self)
        let moment = #/Date: [A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT/#
        return Array(text.replacing(moment, with: "Date: now", maxReplacements: 1).utf8)
    }
}

extension Serialisation {
    private static let text = HTTPResponse(
        status: 200, type: "text/plain", bytes: Array("hello".utf8))

    static let whole: [Case] = [
        Case(
            "9112 §4", "status, Date, the handler's fields, length, our own fields, body", text,
            """
            HTTP/1.1 200 OK␍␊
            Date: now␍␊
            Content-Type: text/plain␍␊
            Content-Length: 5␍␊
            X-Request-Id: 1␍␊
            Connection: close␍␊
            ␍␊
            hello
            """),
        Case(
            "9110 §9.3.2", "HEAD: the same head", request: "HEAD / HTTP/1.1␍␊", text,
            """
            HTTP/1.1 200 OK␍␊
            Date: now␍␊
            Content-Type: text/plain␍␊
            Content-Length: 5␍␊
            X-Request-Id: 1␍␊
            Connection: close␍␊
            ␍␊
            """),
        Case(
            "9112 §2.3", "the version is our own, even towards HTTP/1.0",
            request: "GET / HTTP/1.0␍␊",
            text,
            """
            HTTP/1.1 200 OK␍␊
            Date: now␍␊
            Content-Type: text/plain␍␊
            Content-Length: 5␍␊
            X-Request-Id: 1␍␊
            Connection: close␍␊
            ␍␊
            hello
            """),
        Case(
            "9110 §8.6", "an empty body has the length zero", HTTPResponse(status: 404),
            """
            HTTP/1.1 404 Not Found␍␊
            Date: now␍␊
            Content-Length: 0␍␊
            X-Request-Id: 1␍␊
            Connection: close␍␊
            ␍␊
            """),
        Case(
            "9110 §15.3.5", "204 has no length and no body, whatever the handler made of it",
            HTTPResponse(status: 204, body: .bytes(Array("hello".utf8))),
            """
            HTTP/1.1 204 No Content␍␊
            Date: now␍␊
            X-Request-Id: 1␍␊
            Connection: close␍␊
            ␍␊
            """),
        Case(
            "9110 §15.4.5", "neither has 304",
            HTTPResponse(
                status: 304, headers: [ResponseField("ETag", "\"1\"")],
                body: .bytes(Array("hello".utf8))),
            """
            HTTP/1.1 304 Not Modified␍␊
            Date: now␍␊
            ETag: "1"␍␊
            X-Request-Id: 1␍␊
            Connection: close␍␊
            ␍␊
            """),
        Case(
            "9112 §4", "a status without a phrase keeps the space before it",
            HTTPResponse(status: 299),
            """
            HTTP/1.1 299 ␍␊
            Date: now␍␊
            Content-Length: 0␍␊
            X-Request-Id: 1␍␊
            Connection: close␍␊
            ␍␊
            """),
        Case(
            "9112 §6", "the handler cannot set the framing",
            HTTPResponse(
                status: 200,
                headers: [
                    ResponseField("Content-Length", "99"), ResponseField("transfer-encoding", "x"),
                    ResponseField("DATE", "never"), ResponseField("Connection", "Upgrade"),
                    ResponseField("X-Request-ID", "2"), ResponseField("Vary", "Accept"),
                ], body: .bytes(Array("hello".utf8))),
            """
            HTTP/1.1 200 OK␍␊
            Date: now␍␊
            Vary: Accept␍␊
            Content-Length: 5␍␊
            X-Request-Id: 1␍␊
            Connection: close␍␊
            ␍␊
            hello
            """),
    ]

    static let streams: [Case] = [
        Case(
            "9112 §7.1", "a stream goes in chunks, one for each piece, and ends with an empty one",
            stream(length: nil, "to be ", "continued"),
            """
            HTTP/1.1 200 OK␍␊
            Date: now␍␊
            Content-Type: text/plain␍␊
            Transfer-Encoding: chunked␍␊
            X-Request-Id: 1␍␊
            Connection: close␍␊
            ␍␊
            6␍␊
            to be ␍␊
            9␍␊
            continued␍␊
            0␍␊
            ␍␊
            """),
        Case(
            "9112 §7.1", "an empty piece makes no chunk, which would be the end",
            stream(length: nil, "", "hello", ""),
            """
            HTTP/1.1 200 OK␍␊
            Date: now␍␊
            Content-Type: text/plain␍␊
            Transfer-Encoding: chunked␍␊
            X-Request-Id: 1␍␊
            Connection: close␍␊
            ␍␊
            5␍␊
            hello␍␊
            0␍␊
            ␍␊
            """),
        Case(
            "9112 §7.1", "an empty stream is just its end", stream(length: nil),
            """
            HTTP/1.1 200 OK␍␊
            Date: now␍␊
            Content-Type: text/plain␍␊
            Transfer-Encoding: chunked␍␊
            X-Request-Id: 1␍␊
            Connection: close␍␊
            ␍␊
            0␍␊
            ␍␊
            """),
        Case(
            "9112 §6.2", "one with a known length has that length",
            stream(length: 15, "to be ", "continued"),
            """
            HTTP/1.1 200 OK␍␊
            Date: now␍␊
            Content-Type: text/plain␍␊
            Content-Length: 15␍␊
            X-Request-Id: 1␍␊
            Connection: close␍␊
            ␍␊
            to be continued
            """),
        Case(
            "9110 §9.3.2", "HEAD of a stream: the same head", request: "HEAD / HTTP/1.1␍␊",
            stream(length: nil, "hello"),
            """
            HTTP/1.1 200 OK␍␊
            Date: now␍␊
            Content-Type: text/plain␍␊
            Transfer-Encoding: chunked␍␊
            X-Request-Id: 1␍␊
            Connection: close␍␊
            ␍␊
            """),
        Case(
            "9112 §6.1", "to HTTP/1.0 a stream ends with the connection",
            request: "GET / HTTP/1.0␍␊", stream(length: nil, "to be ", "continued"),
            """
            HTTP/1.1 200 OK␍␊
            Date: now␍␊
            Content-Type: text/plain␍␊
            X-Request-Id: 1␍␊
            Connection: close␍␊
            ␍␊
            to be continued
            """),
    ]

    private static func stream(length: Int?, _ pieces: String...) -> HTTPResponse {
        HTTPResponse(
            status: 200, headers: [ResponseField("Content-Type", "text/plain")],
            body: .stream(length: length) { writer in
                for piece in pieces { try await writer.write(Array(piece.utf8)) }
            })
    }
}
