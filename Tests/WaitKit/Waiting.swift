import Glibc
import Testing

/// Waits until a condition holds, and fails the test if that takes too long.
///
/// Tests wait for what they need, not for the time it usually takes: so they are as fast as the machine, and do not
/// fail on a busy one.
package func eventually(
    within limit: Duration = .seconds(60), sourceLocation: SourceLocation = #_sourceLocation,
    _ isSo: () async throws -> Bool
) async throws {
    _ = try await awaited(
        until: { $0 }, within: limit, sourceLocation: sourceLocation, isSo)
}

/// What the body returns, as soon as it returns something; it is called again and again.
package func awaited<Value>(
    until isDone: (Value) throws -> Bool, within limit: Duration = .seconds(60),
    sourceLocation: SourceLocation = #_sourceLocation, _ look: () async throws -> Value
) async throws -> Value {
    let deadline = ContinuousClock.now + limit
    var pause = Duration.milliseconds(2)
    while true {
        let value = try await look()
        if try isDone(value) { return value }
        try #require(.now < deadline, "it never came true", sourceLocation: sourceLocation)
        // Each look takes time from the work that the test waits for, so looks become rarer.
        try await Task.sleep(for: pause)
        pause = min(pause * 5 / 4, .milliseconds(50))
    }
}

/// Whether a condition holds in time, for threads that may block.
package func becomes(
    within limit: Duration = .seconds(60), _ isSo: () throws -> Bool
) rethrows -> Bool {
    let deadline = ContinuousClock.now + limit
    while try !isSo() {
        guard .now < deadline else { return false }
        usleep(2_000)
    }
    return true
}
