import EventLoop

/// Where one task waits until its loop lets it go on. Confined to its loop.
///
/// Opening means no more than "look again"; so does the cancellation of the task.
final class Gate: @unchecked Sendable {
    private var continuation: CheckedContinuation<Void, Never>?

    /// Waits for the next `open`.
    func wait(on loop: Loop) async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                loop.preconditionCurrent()
                assert(self.continuation == nil, "two tasks wait at one gate")
                self.continuation = continuation
            }
        } onCancel: {
            loop.execute { self.open() }
        }
    }

    func open() {
        let waiting = continuation
        continuation = nil
        waiting?.resume()
    }
}
