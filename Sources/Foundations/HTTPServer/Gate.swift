import EventLoop

/// A point where one task waits until its loop lets it continue. Confined to its loop.
///
/// Opening only means "look again"; so does cancelling the task.
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
