import EventLoop

/// Gives up connections whose server neither answers nor closes: it, or the network in between, is as good as gone.
///
/// A live server answers each statement within the statement timeout, or says that it stopped it. Callers that
/// wait on such a connection learn that it was lost. Confined to its loop.
final class Watchdog {
    private let loop: Loop
    private let slots: [Slot]
    private let statementMilliseconds: Int
    private let answerMilliseconds: Int
    private var timer: LoopTimer?

    /// - Parameters:
    ///   - statementMilliseconds: what the server grants to each statement.
    ///   - answerMilliseconds: how much longer an answer may take.
    init(
        _ slots: [Slot], statementMilliseconds: Int, answerMilliseconds: Int, on loop: Loop
    ) {
        self.slots = slots
        self.statementMilliseconds = statementMilliseconds
        self.answerMilliseconds = answerMilliseconds
        self.loop = loop
    }

    /// Starts checking periodically.
    func start() {
        timer = loop.schedule(afterMilliseconds: min(1000, answerMilliseconds)) {
            for slot in self.slots {
                if let connection = slot.connection { self.check(connection) }
            }
            self.start()
        }
    }

    /// Stops checking.
    func stop() {
        timer?.cancel()
        timer = nil
    }

    private func check(_ connection: Connection) {
        guard let (nanoseconds, statements) = connection.silence else { return }
        let limit = answerMilliseconds + statementMilliseconds * statements
        if nanoseconds > Int64(limit) * 1_000_000 { connection.fail("no answer in time") }
    }
}
