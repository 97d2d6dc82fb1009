import HTTPWire

extension ClientConnection {
    // MARK: After an answer

    /// Goes on to the next request, or ends.
    func finishExchange() {
        guard let request else { return }
        complete(request, status: request.status)
        if request.status == 503 || request.status == 429, !shard.isDraining {
            let settings = shard.settings
            let pause = settings.refusalPauseMilliseconds << min(refusalsInARow, 4)
            pausedUntil = after(
                min(
                    pause,
                    max(settings.refusalPauseMilliseconds, settings.longestRefusalPauseMilliseconds)
                ))
            refusalsInARow += 1
        } else {
            refusalsInARow = 0
        }
        if mustClose {
            let isExpected = request.body.isComplete && !request.head.keepsAlive
            isExpected && input.isEmpty && !mayRead ? close() : lingerThenClose()
        } else if request.body.isComplete {
            nextRequest()
        } else {
            phase = .rest
            deadline = after(shard.settings.restMilliseconds)
            droppedBytes = 0
            restOfBody = request.body
            request.body.connection = self
            dropRest()
        }
    }

    func nextRequest() {
        if mustClose { return close() }
        if pausedUntil > 0 {
            phase = .idle
            deadline = after(shard.settings.idleMilliseconds)
            return
        }
        phase = input.isEmpty ? .idle : .head
        deadline = after(
            input.isEmpty ? shard.settings.idleMilliseconds : shard.settings.headMilliseconds)
        readHead()
        if shard.isGraceOver { endIfIdle() }
    }

    /// Reads on after a pause.
    func resume() {
        pausedUntil = 0
        if phase == .idle { nextRequest() }
    }
}
