import Synchronization

/// Lends a few things to tasks, one to each, and makes the others wait in line.
package final class Slots<Thing: Sendable>: Sendable {
    private struct State {
        var free: [Thing]
        var line: [CheckedContinuation<Thing, Never>] = []
    }

    private let state: Mutex<State>

    package init(_ things: [Thing]) {
        state = Mutex(State(free: things))
    }

    /// Waits until one is free, and takes it: the one that was given back last, which is warm.
    package func take() async -> Thing {
        await withCheckedContinuation { continuation in
            let thing = state.withLock { state -> Thing? in
                guard let thing = state.free.popLast() else {
                    state.line.append(continuation)
                    return nil
                }
                return thing
            }
            if let thing { continuation.resume(returning: thing) }
        }
    }

    /// Hands it to the next in line.
    package func give(_ thing: Thing) {
        let next = state.withLock { state -> CheckedContinuation<Thing, Never>? in
            guard state.line.isEmpty else { return state.line.removeFirst() }
            state.free.append(thing)
            return nil
        }
        next?.resume(returning: thing)
    }
}
