import WireKit

/// RFC 9112 section 9: persistence, pipelining and the end of a connection.
enum ConnectionRows {
    static let rows: [Row] = persistence + old + pipelines

    private static func get(_ path: String, _ version: String = "1.1", _ fields: String...)
        -> String
    {
        (["GET \(path) HTTP/\(version)", "Host: school.example"] + fields).map { $0 + "␍␊\n" }
            .joined() + "␍␊\n"
    }

    private static let persistence: [Row] = [
        Row(
            "9112 §9.3", "a connection persists without saying so", WireText(get("/a")),
            [Expected(200, "GET /a", absent: ["Connection", "Keep-Alive"])]),
        Row(
            "9112 §9.6", "after close no request is read, even if one was sent",
            WireText(get("/a", "1.1", "Connection: close") + get("/b")),
            [Expected(200, "GET /a", fields: ["Connection: close"])], .closed),
        Row(
            "9110 §7.6.1", "close is one of a list, in any case",
            WireText(get("/a", "1.1", "Connection: note, CLOSE", "Note: here")),
            [Expected(200, "GET /a note:here")], .closed),
        Row(
            "9110 §7.6.1", "even in a second field",
            WireText(get("/a", "1.1", "Connection: note", "Connection: close")),
            [Expected(200, "GET /a")], .closed),
        Row(
            "9112 §9.3", "close is stronger than keep-alive",
            WireText(get("/a", "1.1", "Connection: keep-alive, close")),
            [Expected(200, "GET /a")], .closed),
        Row(
            "9112 §C.2.2", "Proxy-Connection means nothing",
            WireText(get("/a", "1.1", "Proxy-Connection: close")), [Expected(200, "GET /a")]),
        Row(
            "9110 §7.8", "Upgrade may be ignored, and is",
            WireText(
                get(
                    "/a", "1.1", "Connection: Upgrade, HTTP2-Settings", "Upgrade: h2c",
                    "HTTP2-Settings: x")),
            [Expected(200, "GET /a", absent: ["Upgrade"])]),
        Row(
            "6455 §4.2", "even that of a WebSocket",
            WireText(
                get(
                    "/a", "1.1", "Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Key: x"
                )),
            [Expected(200, "GET /a", absent: ["Upgrade"])]),
    ]

    private static let old: [Row] = [
        Row(
            "9112 §9.3", "HTTP/1.0 ends with its answer, which is of our own version",
            WireText(get("/a", "1.0")), [Expected(200, "GET /a")], .closed),
        Row(
            "9112 §3.2", "and may omit Host", "GET /a HTTP/1.0␍␊␍␊",
            [Expected(200, "GET /a")], .closed),
        Row(
            "9112 §3.2", "but not send two", refused: 400,
            WireText(get("/a", "1.0", "Host: school.example"))),
        Row(
            "9112 §C.2.2", "unless it asks to be kept alive, and the answer says so",
            WireText(get("/a", "1.0", "Connection: Keep-Alive")),
            [Expected(200, "GET /a", fields: ["Connection: keep-alive"])]),
        Row(
            "9112 §6.1", "it is sent no coding: the end of the connection is the end of the body",
            WireText(get("/stream", "1.0", "Connection: keep-alive")),
            [Expected(200, "to be continued", absent: ["Transfer-Encoding", "Content-Length"])],
            .closed),
    ]

    private static let pipelines: [Row] = [
        Row(
            "9112 §9.3.2", "pipelined requests are answered in order",
            WireText(get("/a") + get("/b?c") + get("/stream") + get("/d")),
            [
                Expected(200, "GET /a"), Expected(200, "GET /b ?c="),
                Expected(200, "to be continued"), Expected(200, "GET /d"),
            ]),
        Row(
            "9112 §9.3.2", "two hundred of them",
            WireText((0..<200).map { get("/\($0)") }.joined()),
            (0..<200).map { Expected(200, "GET /\($0)") }),
        Row(
            "9112 §9.3.2", "those behind a refused one are not answered",
            WireText(get("/a") + get("/b", "1.1", "Note : here") + get("/c")),
            [Expected(200, "GET /a"), Expected(400)], .closed),
        Row(
            "9112 §9.6", "a client that closes its side still gets what it asked for",
            WireText(get("/a") + get("/b") + "⊣"),
            [Expected(200, "GET /a"), Expected(200, "GET /b")], .finished),
        Row("9112 §9.5", "a client that leaves silently is let go", "⊣", [], .finished),
        Row("9112 §9.5", "even within a head", "GET /a HTT⊣", [], .finished),
    ]
}
