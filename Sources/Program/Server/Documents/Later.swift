import EventLoop
import Synchronization

/// A value that is made when it is first asked for, on a thread of its own; whoever asks meanwhile waits for it.
final class Later<Value: Sendable>: Sendable {
    private struct State {
        var value: Value?
        var askers: [CheckedContinuation<Value, Never>] = []
    }

    private let state = Mutex(State())
    private let make: @Sendable () -> Value

    init(_ make: @escaping @Sendable () -> Value) { self.make = make }

    var value: Value {
        get async {
            if let made = state.withLock({ $0.value }) { return made }
            return await withCheckedContinuation { asker in
                let (made, isFirst) = state.withLock { state in
                    guard state.value == nil else { return (state.value, false) }
                    state.askers.append(asker)
                    return (nil, state.askers.count == 1)
                }
                if let made { asker.resume(returning: made) }
                if isFirst { startErrand { self.fill() } }
            }
        }
    }

    private func fill() {
        let made = make()
        let askers = state.withLock { state in
            state.value = made
            defer { state.askers = [] }
            return state.askers
        }
        for asker in askers { asker.resume(returning: made) }
    }
}
