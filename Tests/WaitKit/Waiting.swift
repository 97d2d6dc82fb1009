import Glibc
import Testing

/// Waits until something is so, and fails the test where it is not in time.
///
/// Tests wait for what they need, not for a time in which it usually comes: so they are as fast as the machine, and do
/// not fail where that is busy.
package func eventually(
    within limit: Duration = .seconds(60), sourceLocation: SourceLocation = #_sourceLocation,
    _ isSo: () async throws -> Bool
) async throws {
    try await found(within: limit, sourceLocation: sourceLocation) {
        try await isSo() ? () : nil
    }
}

/// The first value that the body gives; it is asked until there is one.
package func found<Value>(
    within limit: Duration = .seconds(60), sourceLocation: SourceLocation = #_sourceLocation,
    _ look: () async throws -> Value?
) async throws -> Value {
    let deadline = ContinuousClock.now + limit
    while true {
        if let value = try await look() { return value }
        try #require(.now < deadline, "it never came true", sourceLocation: sourceLocation)
        try await Task.sleep(for: .milliseconds(5))
    }
}

/// Whether something is so in time, for threads that may block.
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
