import EventLoop
import Glibc
import HTTPServer
import HTTPWire

/// A process of its own with nothing but the engine, whose memory and descriptors a test can inspect.
///
/// It prints its port and serves until it is killed: `PUT /drop` reads a body and says how long it was, `GET
/// /stream/LENGTH` sends so many bytes, `GET /hold` delays its answer for a minute.
@main struct EngineUnderTest {
    static func main() async throws {
        signal(SIGPIPE, SIG_IGN)
        let loop = try Loop()
        loop.start()
        let listener = try ListeningSocket.bind(address: "127.0.0.1", port: 0)
        let server = HTTPServer(loops: [loop], listener: listener) { await answer($0) }
        try await server.start()
        // The first sleep opens descriptors of the runtime itself; a test that counts ours must not see them appear.
        try await Task.sleep(for: .milliseconds(1))
        let line = Array("\(server.port)\n".utf8)
        write(STDOUT_FILENO, line, line.count)
        while true { try await Task.sleep(for: .seconds(60)) }
    }

    private static func answer(_ request: HTTPRequest) async -> HTTPResponse {
        switch request.segments.first {
        case "drop": await drop(request.body)
        case "stream": stream(Int(request.segments.last ?? "") ?? 0)
        case "hold": await hold(request)
        default: HTTPResponse(status: 200)
        }
    }

    private static func drop(_ body: RequestBody) async -> HTTPResponse {
        body.limits = BodyLimits(
            maximumBytes: 1 << 30, minimumBytesPerSecond: 16_384, deadlineSeconds: nil)
        do {
            while try await body.next() != nil {}
        } catch {
            return HTTPResponse(status: 408)
        }
        let text = "\(body.receivedBytes)"
        return HTTPResponse(status: 200, type: "text/plain", bytes: Array(text.utf8))
    }

    private static func stream(_ length: Int) -> HTTPResponse {
        HTTPResponse(
            status: 200,
            body: .stream(length: length) { writer in
                var left = length
                while left > 0 {
                    let count = min(left, 65_536)
                    try await writer.write([UInt8](repeating: 1, count: count))
                    left -= count
                }
            })
    }

    private static func hold(_ request: HTTPRequest) async -> HTTPResponse {
        request.setDeadline(secondsFromNow: 60)
        for _ in 0..<600 where !Task.isCancelled { await pause(milliseconds: 100) }
        return HTTPResponse(status: 200)
    }
}
