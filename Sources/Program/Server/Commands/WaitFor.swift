import EventLoop
import Synchronization

/// Runs asynchronous work to its end on the calling thread, which has nothing else to do: for commands, never on a loop.
///
/// Not on Swift's own threads: those set their priority, which no service may, and complain in its log.
func waitFor<Value: Sendable>(
    _ body: @escaping @Sendable () async throws -> Value
) throws -> Value {
    let executor = WaitingExecutor()
    let outcome = Mutex<Result<Value, any Error>?>(nil)
    Task.detached(executorPreference: executor) {
        let result: Result<Value, any Error>
        do { result = .success(try await body()) } catch { result = .failure(error) }
        outcome.withLock { $0 = result }
    }
    while true {
        if let result = outcome.withLock({ $0 }) { return try result.get() }
        executor.runNext()
    }
}

/// Runs jobs in their order, on the thread that asks for them.
private final class WaitingExecutor: TaskExecutor {
    private let jobs = Mutex<[UnownedJob]>([])
    private let semaphore = Semaphore()

    func enqueue(_ job: consuming ExecutorJob) {
        let unowned = UnownedJob(job)
        jobs.withLock { $0.append(unowned) }
        semaphore.signal()
    }

    /// Waits for a job, and runs it.
    func runNext() {
        semaphore.wait()
        let job = jobs.withLock { $0.isEmpty ? nil : $0.removeFirst() }
        job?.runSynchronously(on: asUnownedTaskExecutor())
    }
}
