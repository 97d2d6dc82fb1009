import EventLoop
import HTTPServer
import HTTPWire
import Synchronization
import WaitKit

/// Runs a server on two loops of its own, and the body against it, on a thread that may block.
func withServer(
    _ settings: HTTPServerSettings = HTTPServerSettings(), loops count: Int = 2,
    handler: @escaping HTTPServer.Handler,
    _ body: @escaping @Sendable (HTTPServer) throws -> Void
) async throws {
    let loops = try (0..<count).map { try Loop(index: $0) }
    for loop in loops { loop.start() }
    let listener = try ListeningSocket.bind(address: "127.0.0.1", port: 0)
    let server = HTTPServer(
        loops: loops, listener: listener, settings: settings, handler: handler)
    try await server.start()
    let result = await blocking { Result { try body(server) } }
    await server.shutdown()
    for loop in loops { loop.stop() }
    try result.get()
}

/// Runs a server on one loop whose time stands still, and the body against it, which moves the time.
func withServer(
    _ settings: HTTPServerSettings = HTTPServerSettings(),
    handler: @escaping HTTPServer.Handler,
    timed body: @escaping @Sendable (HTTPServer, LoopTime) throws -> Void
) async throws {
    let loop = try Loop(time: .manual())
    loop.start()
    let listener = try ListeningSocket.bind(address: "127.0.0.1", port: 0)
    let server = HTTPServer(
        loops: [loop], listener: listener, settings: settings, handler: handler)
    try await server.start()
    let result = await blocking { Result { try body(server, LoopTime(loop: loop)) } }
    let isDown = Atomic(false)
    async let end: Void = {
        await server.shutdown()
        isDown.store(true, ordering: .releasing)
    }()
    while !isDown.load(ordering: .acquiring) { await loop.advance(milliseconds: 100) }
    await end
    loop.stop()
    try result.get()
}

/// Moves the time of a loop, for a thread that may block.
struct LoopTime: Sendable {
    let loop: Loop

    /// Returns when the loop has done everything that was ready before, or became due.
    func advance(milliseconds: Int) {
        let done = Semaphore()
        loop.advance(milliseconds: milliseconds) { done.signal() }
        done.wait()
    }
}

/// Runs the body on a thread that may block.
func blocking<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
    await withCheckedContinuation { continuation in
        startThread { continuation.resume(returning: body()) }
    }
}

/// Short deadlines, so that tests need not wait for them.
var impatient: HTTPServerSettings {
    var settings = HTTPServerSettings()
    settings.tickMilliseconds = 10
    settings.drainGraceMilliseconds = 300
    return settings
}

extension HTTPResponse {
    static func text(_ text: String, status: Int = 200) -> HTTPResponse {
        HTTPResponse(status: status, type: "text/plain", bytes: Array(text.utf8))
    }
}

/// What handlers report to their test.
final class Notes: Sendable {
    private let notes = Mutex<[String]>([])

    func add(_ note: String) {
        notes.withLock { $0.append(note) }
    }

    var all: [String] { notes.withLock { $0 } }

    /// Waits until the note occurs that often.
    func wait(for note: String, times: Int = 1) -> Bool {
        becomes { all.count(where: { $0 == note }) >= times }
    }
}

extension HTTPRequest {
    /// Waits on the request's loop, whatever happens to its task.
    func pause(milliseconds: Int) async {
        await EventLoop.pause(milliseconds: milliseconds)
    }
}
