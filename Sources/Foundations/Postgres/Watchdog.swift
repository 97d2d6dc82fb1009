import EventLoop

/// What a server owes: the answer to some statements, since a moment of the loop's clock.
struct OwedAnswer {
    let since: Int64
    let statements: Int
}

/// How long a server may owe an answer before it, or the network in between, is as good as gone.
///
/// A live server answers each statement within the statement timeout, or says that it stopped it.
struct AnswerLimit {
    /// What the server grants to each statement.
    let statementMilliseconds: Int
    /// How much longer an answer may take.
    let answerMilliseconds: Int

    func isExceeded(by silence: OwedAnswer, now: Int64) -> Bool {
        let limit = answerMilliseconds + statementMilliseconds * silence.statements
        return now - silence.since > Int64(limit) * 1_000_000
    }
}

/// Gives up connections whose server neither answers nor closes. Callers that wait on such a connection learn that it
/// was lost. Confined to its loop.
final class Watchdog {
    private let loop: Loop
    private let slots: [Slot]
    private let limit: AnswerLimit
    private var timer: LoopTimer?

    init(_ slots: [Slot], _ limit: AnswerLimit, on loop: Loop) {
        self.slots = slots
        self.limit = limit
        self.loop = loop
    }

    /// Starts checking periodically.
    func start() {
        timer = loop.schedule(afterMilliseconds: min(1000, limit.answerMilliseconds)) {
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
        guard let silence = connection.silence else { return }
        if limit.isExceeded(by: silence, now: loop.now) { connection.fail("no answer in time") }
    }
}
