import CLinux
import Glibc
import Synchronization

/// How many processors the machine has.
package var processorCount: Int { max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))) }

/// Starts a detached thread that runs the body once.
package func startThread(_ body: @escaping @Sendable () -> Void) {
    let box = Unmanaged.passRetained(ThreadBody(run: body))
    var thread = pthread_t()
    let status = pthread_create(
        &thread, nil,
        { pointer in
            guard let pointer else { return nil }
            Unmanaged<ThreadBody>.fromOpaque(pointer).takeRetainedValue().run()
            return nil
        }, box.toOpaque())
    precondition(status == 0, "the system gives no more threads")
    pthread_detach(thread)
}

/// The same for work that needs far more memory than it leaves behind: what it freed goes back to the system, which the C
/// library would otherwise keep for the next such work.
package func startErrand(_ body: @escaping @Sendable () -> Void) {
    startThread {
        body()
        malloc_trim(0)
    }
}

private final class ThreadBody: Sendable {
    let run: @Sendable () -> Void

    init(run: @escaping @Sendable () -> Void) {
        self.run = run
    }
}

/// A few threads for blocking work: password hashing, files, name look-ups.
///
/// The queue is bounded; when it is full, `run` refuses at once instead of letting work pile up.
package final class BlockingThreads: Sendable {
    /// The queue was full.
    package struct Full: Error, Sendable {
        package init() {}
    }

    private struct Call {
        let ticket: Int
        let run: @Sendable () -> Void
        let withdraw: @Sendable () -> Void
    }

    private struct State {
        var queue: [Call] = []
        var idle = 0
        var started = 0
        var refused = 0
        var lastTicket = 0
    }

    private let limit: Int
    private let threadCount: Int
    private let state = Mutex(State())
    private let semaphore = Semaphore()

    /// - Parameter queueLimit: how many calls may wait for a thread.
    package init(count: Int, queueLimit: Int) {
        threadCount = count
        limit = queueLimit
    }

    /// Runs the body on a helper thread while the task waits; throws `Full` when too many wait already.
    ///
    /// If the task is cancelled before the body has begun, the body is not run and `CancellationError` is thrown.
    package func run<Value: Sendable>(
        _ body: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        try Task.checkCancellation()
        let ticket = state.withLock { state in
            state.lastTicket += 1
            return state.lastTicket
        }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let call = Call(
                    ticket: ticket, run: { continuation.resume(with: Result { try body() }) },
                    withdraw: { continuation.resume(throwing: CancellationError()) })
                if !submit(call) { continuation.resume(throwing: Full()) }
            }
        } onCancel: {
            withdraw(ticket)
        }
    }

    /// The current load.
    package struct Load: Sendable {
        /// Calls that wait for a thread.
        package let waiting: Int
        /// Calls that run.
        package let running: Int
        /// Calls that were refused since the start.
        package let refused: Int
    }

    /// The load at this moment; callable from any thread.
    package var load: Load {
        state.withLock { state in
            Load(
                waiting: state.queue.count, running: state.started - state.idle,
                refused: state.refused)
        }
    }

    /// Takes a call out of the queue, unless it has begun.
    private func withdraw(_ ticket: Int) {
        let call = state.withLock { state in
            state.queue.firstIndex { $0.ticket == ticket }.map { state.queue.remove(at: $0) }
        }
        call?.withdraw()
    }

    private func submit(_ call: Call) -> Bool {
        let (accepted, mustStart) = state.withLock { state in
            guard state.queue.count < limit + state.idle else {
                state.refused += 1
                return (false, false)
            }
            state.queue.append(call)
            let mustStart = state.queue.count > state.idle && state.started < threadCount
            if mustStart { state.started += 1 }
            return (true, mustStart)
        }
        guard accepted else { return false }
        if mustStart { startThread { self.work() } }
        semaphore.signal()
        return true
    }

    private func work() {
        while true {
            state.withLock { $0.idle += 1 }
            semaphore.wait()
            let next = state.withLock { state in
                state.idle -= 1
                return state.queue.isEmpty ? nil : state.queue.removeFirst()
            }
            next?.run()
        }
    }
}

/// A counting semaphore of the C library, at an address that does not move.
package final class Semaphore: @unchecked Sendable {
    private let pointer = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)

    package init() {
        sem_init(pointer, 0, 0)
    }

    deinit {
        sem_destroy(pointer)
        pointer.deallocate()
    }

    package func signal() {
        sem_post(pointer)
    }

    package func wait() {
        while sem_wait(pointer) != 0 {}
    }
}
