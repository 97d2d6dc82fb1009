import EventLoop
import Synchronization

/// Work that goes on while a page is shown: at most one task at a time waits for it.
final class Pending<Value: Sendable>: Sendable {
    private struct State {
        var result: Result<Value, any Error>?
        var waiter: CheckedContinuation<Void, Never>?
        var task: Task<Void, Never>?
    }

    private let state = Mutex(State())

    /// Begins the work, on the loop of the caller.
    init(_ work: @escaping @Sendable () async throws -> Value) {
        let task = Task(executorPreference: Loop.current) { [self] in
            let result: Result<Value, any Error>
            do { result = .success(try await work()) } catch { result = .failure(error) }
            let waiter = state.withLock { state in
                state.result = result
                return state.waiter.take()
            }
            waiter?.resume()
        }
        state.withLock { $0.task = task }
    }

    /// What came of the work; `nil` if it is not done after that time.
    func result(within milliseconds: Int) async -> Result<Value, any Error>? {
        var timer: LoopTimer?
        await withCheckedContinuation { continuation in
            let isDone = state.withLock { state in
                guard state.result == nil else { return true }
                state.waiter = continuation
                return false
            }
            guard !isDone else { return continuation.resume() }
            timer = Loop.current?.schedule(afterMilliseconds: milliseconds) { [self] in wake() }
        }
        timer?.cancel()
        return state.withLock { $0.result }
    }

    /// Ends the work, because nobody waits for what comes of it.
    func cancel() { state.withLock { $0.task }?.cancel() }

    private func wake() { state.withLock { $0.waiter.take() }?.resume() }
}
