import Synchronization

/// Admits a number of tasks and makes the others wait in line.
package final class Slots: Sendable {
    private struct State {
        var free: Int
        var line: [CheckedContinuation<Void, Never>] = []
    }

    private let state: Mutex<State>

    package init(_ count: Int) {
        state = Mutex(State(free: count))
    }

    /// Waits until one is free, and takes it.
    package func take() async throws {
        await withCheckedContinuation { continuation in
            let goesIn = state.withLock { state in
                guard state.free == 0 else {
                    state.free -= 1
                    return true
                }
                state.line.append(continuation)
                return false
            }
            if goesIn { continuation.resume() }
        }
    }

    /// Lets the next one in.
    package func give() {
        let next = state.withLock { state in
            guard state.line.isEmpty else {
                return state.line.removeFirst() as CheckedContinuation?
            }
            state.free += 1
            return nil
        }
        next?.resume()
    }
}
