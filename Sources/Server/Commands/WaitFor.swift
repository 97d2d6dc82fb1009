import EventLoop
import Synchronization

/// Runs asynchronous work to its end while the calling thread waits: for commands, never on a loop.
func waitFor<Value: Sendable>(
    _ body: @escaping @Sendable () async throws -> Value
) throws -> Value {
    let outcome = Outcome<Value>()
    Task.detached {
        do { outcome.set(.success(try await body())) } catch { outcome.set(.failure(error)) }
    }
    return try outcome.wait().get()
}

/// A result that one thread waits for.
private final class Outcome<Value: Sendable>: Sendable {
    private let result = Mutex<Result<Value, any Error>?>(nil)
    private let semaphore = Semaphore()

    func set(_ value: Result<Value, any Error>) {
        result.withLock { $0 = value }
        semaphore.signal()
    }

    func wait() -> Result<Value, any Error> {
        semaphore.wait()
        guard let value = result.withLock({ $0 }) else { preconditionFailure("woken too early") }
        return value
    }
}
