import Dispatch
import Foundation
import Synchronization

/// Threads that tests may block.
///
/// Swift's own are as many as there are processors. A test that asks PostgreSQL or waits for a program holds one of them
/// without using its processor, so that two such tests on two processors would keep all others waiting.
package final class PatientThreads: TaskExecutor {
    private static let shared = PatientThreads(count: 32)

    private let jobs = Mutex<[UnownedJob]>([])
    private let arrived = DispatchSemaphore(value: 0)

    private init(count: Int) {
        for _ in 0..<count {
            let thread = Thread { self.run() }
            thread.stackSize = 8 << 20
            thread.start()
        }
    }

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        jobs.withLock { $0.append(job) }
        arrived.signal()
    }

    private func run() {
        while true {
            arrived.wait()
            jobs.withLock { $0.removeFirst() }.runSynchronously(on: asUnownedTaskExecutor())
        }
    }

    /// Runs the body, and the tasks that it starts, on such threads.
    package static func run<Value>(_ body: () async throws -> Value) async rethrows -> Value {
        try await withTaskExecutorPreference(shared) { try await body() }
    }
}
