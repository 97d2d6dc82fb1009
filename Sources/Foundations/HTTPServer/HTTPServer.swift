import EventLoop
import HTTPWire
import Metrics

/// An HTTP/1.1 server over event loops: it reads requests, runs a handler's task for each on the connection's
/// loop, and sends what the handler answers.
///
/// One request per connection is in progress at a time. Requests that no handler should see (malformed, too
/// large, too slow) are answered here, and the connection is closed.
package final class HTTPServer: Sendable {
    package typealias Handler = @Sendable (HTTPRequest) async -> HTTPResponse

    private let loops: [Loop]
    private let shards: [Shard]
    private let count: ConnectionCount
    private let acceptor: Acceptor
    private let drainMilliseconds: Int
    /// The port the server listens on.
    package let port: UInt16

    /// - Parameters:
    ///   - loops: running, at least one; the first accepts.
    ///   - listener: a listening socket, from `ListeningSocket.bind`; the server closes it.
    package init(
        loops: [Loop], listener: Int32, settings: HTTPServerSettings = HTTPServerSettings(),
        handler: @escaping Handler
    ) {
        self.loops = loops
        let count = ConnectionCount(
            limit: settings.connectionLimit, limitPerAddress: settings.connectionLimitPerAddress,
            isUnlimited: settings.isUnlimited)
        self.count = count
        let handshakes = settings.tls.map { _ in HandshakeLimit(settings.handshakeLimits) }
        shards = loops.map {
            Shard(
                loop: $0, settings: settings, count: count, handshakes: handshakes,
                handler: handler)
        }
        acceptor = Acceptor(
            loop: loops[0], descriptor: listener, shards: shards, count: count)
        drainMilliseconds = settings.drainMilliseconds
        port = ListeningSocket.port(of: listener)
    }

    /// Starts accepting connections.
    package func start() async throws {
        let acceptor = acceptor
        let failure: LoopError? = await on(loops[0]) { () -> LoopError? in
            do throws(LoopError) {
                try acceptor.start()
                return nil
            } catch {
                return error
            }
        }
        if let failure { throw failure }
    }

    /// Accepts only connections that are already waiting. During the drain's grace it answers new requests on
    /// the connections, and those in flight, with `Connection: close`. It cancels what still runs at the drain
    /// deadline, and returns when all connections are closed.
    package func shutdown() async {
        let acceptor = acceptor
        await on(loops[0]) { acceptor.stop() }
        await withTaskGroup(of: Void.self) { group in
            for shard in shards {
                group.addTask { await self.drain(shard) }
            }
        }
    }

    /// The figures the server exports.
    package struct Figures: Sendable {
        /// Connections open now.
        package let open: Int
        /// Requests whose handler is running now.
        package let inFlight: Int
        /// Connections since the start.
        package let accepted: Int
        /// Connections since the start that were closed at once because their address had too many.
        package let refused: Int
        /// How often since the start accepting connections was paused for a while.
        package let pauses: Int
    }

    /// The figures at this moment; callable from any thread.
    package var figures: Figures {
        Figures(
            open: count.value, inFlight: shards.reduce(0) { $0 + $1.inFlight.value },
            accepted: acceptor.taken.value,
            refused: acceptor.refused.value, pauses: acceptor.pauses.value)
    }

    private func drain(_ shard: Shard) async {
        let milliseconds = drainMilliseconds
        await withCheckedContinuation { continuation in
            shard.loop.execute {
                let deadline = shard.loop.schedule(afterMilliseconds: milliseconds) {
                    shard.abandonAll()
                    // A handler that ignores cancellation is left behind.
                    shard.loop.schedule(afterMilliseconds: 1000) { shard.giveUpDraining() }
                }
                shard.drainDeadline = deadline
                shard.drain { continuation.resume() }
            }
        }
    }

    private func on<Value: Sendable>(
        _ loop: Loop, _ body: @escaping @Sendable () -> Value
    ) async -> Value {
        await withCheckedContinuation { continuation in
            loop.execute { continuation.resume(returning: body()) }
        }
    }
}
