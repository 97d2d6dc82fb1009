import Postgres
import School
import Synchronization
import Testing
import WaitKit

/// The worker that takes from a queue beside the requests.
@Suite struct QueueWorkers {
    /// Counts how often the worker has begun, and lets the first one wait.
    private final class Work: Sendable {
        let begun = Mutex(0)
        let isHeld = Mutex(true)

        func run() throws {
            begun.withLock { $0 += 1 }
            _ = becomes { isHeld.withLock { !$0 } }
        }
    }

    @Test(arguments: [true, false])
    func `once it is stopped it begins nothing more, whatever became of its work`(
        fails: Bool
    ) async throws {
        let work = Work()
        let patience = QueueWorker.Patience(seconds: 0, retries: 100, logsEach: false)
        let ended = Mutex(false)
        let worker = QueueWorker(trouble: "interrupted", patience, log: nil) { _, isStopped in
            try work.run()
            try QueueWorker.drain({ .claimedByOthers }, until: isStopped)
            ended.withLock { $0 = true }
            if fails { throw PostgresError.connectionLost(mayHaveCommitted: false) }
        }
        worker.wake(target: "")
        try await eventually { work.begun.withLock { $0 } == 1 }
        worker.wake(target: "")
        worker.stop()
        work.isHeld.withLock { $0 = false }
        try await eventually { ended.withLock { $0 } }
        worker.wake(target: "")
        try await eventually { !worker.isRunning }
        #expect(work.begun.withLock { $0 } == 1)
    }
}
