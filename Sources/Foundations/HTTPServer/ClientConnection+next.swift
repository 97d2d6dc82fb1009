import HTTPWire

extension ClientConnection {
    // MARK: After an answer

    /// Goes on to the next request, or ends.
    func finishExchange() {
        guard let request else { return }
        complete(request, status: request.status)
        let asksToComeBack = request.status == 503 || request.status == 429
        deadlines.answered(
            asksToComeBack: asksToComeBack && !shard.isDraining, shard.rules, now: now)
        if mustClose {
            let isExpected = request.body.isComplete && !request.head.keepsAlive
            isExpected && input.isEmpty && !mayRead ? close() : lingerThenClose()
        } else if request.body.isComplete {
            nextRequest()
        } else {
            phase = .rest
            deadlines.wait(for: shard.rules.rest, now: now)
            droppedBytes = 0
            restOfBody = request.body
            request.body.connection = self
            dropRest()
        }
    }

    func nextRequest() {
        if mustClose { return close() }
        if deadlines.isPaused {
            phase = .idle
            deadlines.wait(for: shard.rules.idle, now: now)
            return
        }
        phase = input.isEmpty ? .idle : .head
        deadlines.wait(
            for: input.isEmpty ? shard.rules.idle : shard.rules.head, now: now)
        readHead()
        if shard.isGraceOver { endIfIdle() }
    }

    /// Reads on after a pause.
    func resume() {
        deadlines.endPause()
        if phase == .idle { nextRequest() }
    }
}
