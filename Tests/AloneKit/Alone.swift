import Glibc
import Testing

/// Marks a test, or all tests of a suite, that run one at a time with nothing beside them.
///
/// `deploy/test` runs the tests twice. In the first run this trait skips the test and adds its identity to the file
/// that `HOMEROOM_TESTS_ALONE` names; the second run is of these tests only. Without the variable it does nothing.
package struct Alone: TestTrait, SuiteTrait {
    package var isRecursive: Bool { true }

    package func prepare(for test: Test) async throws {
        guard let path = getenv("HOMEROOM_TESTS_ALONE") else { return }
        if !test.isSuite { try add("\(test.id)\n", to: String(cString: path)) }
        // The library's own trait, because only the library can skip a test.
        try await ConditionTrait.disabled("runs alone, later").prepare(for: test)
    }
}

extension Trait where Self == Alone {
    /// Runs with nothing beside it. `Tests/README.md` says which tests need that.
    package static var alone: Self { Self() }
}

/// Adds a line by one `write`, so that lines of tests that are prepared at the same time stay whole.
private func add(_ line: String, to path: String) throws {
    let file = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0o600)
    try #require(file >= 0, "\(path) cannot be opened")
    defer { close(file) }
    let written = line.utf8CString.withUnsafeBytes { write(file, $0.baseAddress, $0.count - 1) }
    try #require(written == line.utf8.count, "\(path) cannot be written")
}
