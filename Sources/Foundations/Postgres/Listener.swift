import CLibpq
import EventLoop
import Log

/// A connection that listens on channels, and reports when it cannot.
///
/// Confined to its loop, on which the handler is called. It must be stopped.
package final class Listener: @unchecked Sendable {
    package enum Event: Sendable, Equatable {
        /// Notifications arrive from now on; earlier ones may have been missed.
        case connected
        case disconnected
        case notification(channel: String, payload: String)
        /// The heartbeat sent at this moment of the loop's clock has come back. If its statement notifies one
        /// of the channels, all notifications committed before it have arrived too.
        case heartbeat(sentAt: Int64)
    }

    /// A statement that is run periodically.
    package struct Heartbeat: Sendable {
        package let statement: Statement
        package let everyMilliseconds: Int

        package init(_ statement: Statement, everyMilliseconds: Int) {
            self.statement = statement
            self.everyMilliseconds = everyMilliseconds
        }
    }

    private static let statementMilliseconds = 5000

    private let loop: Loop
    private let channels: [StaticString]
    private let heartbeat: Heartbeat?
    private let handler: (Event) -> Void
    private let slot: Slot
    private let watchdog: Watchdog
    private var timer: LoopTimer?
    private var isListening = false

    /// Channel names must be plain words because they are pasted into SQL.
    package init(
        _ settings: Pool.Settings, channels: [StaticString], heartbeat: Heartbeat? = nil,
        on loop: Loop, log: Log? = nil, handler: @escaping (Event) -> Void
    ) {
        self.loop = loop
        self.channels = channels
        self.heartbeat = heartbeat
        self.handler = handler
        slot = Slot(
            settings.connection(statementTimeoutMilliseconds: Self.statementMilliseconds),
            on: loop, preparedLimit: 16, log: log)
        // These statements take no time, whatever timeout the server grants.
        watchdog = Watchdog(
            [slot],
            AnswerLimit(
                statementMilliseconds: 0, answerMilliseconds: settings.answerMilliseconds),
            on: loop)
    }

    package func start() {
        loop.preconditionCurrent()
        slot.onOpen = { self.listen(on: $0) }
        slot.onLoss = { self.lose() }
        slot.open()
        watchdog.start()
    }

    /// Closes the connection; the handler is no longer called.
    package func stop() {
        loop.preconditionCurrent()
        isListening = false
        timer?.cancel()
        timer = nil
        watchdog.stop()
        slot.close()
    }

    private func listen(on connection: Connection) {
        connection.onNotification = { channel, payload in
            self.handler(.notification(channel: channel, payload: payload))
        }
        let statements = channels.map { channel in
            var text = Statement.StringInterpolation(literalCapacity: 0, interpolationCount: 0)
            text.appendLiteral("listen ")
            text.appendLiteral(channel)
            return Statement(stringInterpolation: text)
        }
        connection.send(
            Exchange(statements, as: nil) { result in
                switch result {
                case .success:
                    self.isListening = true
                    self.handler(.connected)
                    self.beat(connection)
                case .failure(let error):
                    // Not from within the connection's own call.
                    self.loop.execute { connection.fail(error.description) }
                }
            })
    }

    private func lose() {
        timer?.cancel()
        timer = nil
        guard isListening else { return }
        isListening = false
        handler(.disconnected)
    }

    private func beat(_ connection: Connection) {
        guard let heartbeat, isListening, connection.isAlive else { return }
        timer = loop.schedule(afterMilliseconds: heartbeat.everyMilliseconds) {
            self.beat(connection)
        }
        guard connection.exchanges.isEmpty else { return }
        let sentAt = loop.now
        connection.send(
            Exchange([heartbeat.statement], as: nil) { result in
                guard case .success = result, self.isListening else { return }
                self.handler(.heartbeat(sentAt: sentAt))
            })
    }
}
