import Foundation
import Synchronization

/// Runs what blocks on a thread of its own, so that it holds up no task.
enum Blocking {
    static func run<Result: Sendable>(
        _ body: @escaping @Sendable () throws -> Result
    ) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            Thread { continuation.resume(with: Swift.Result { try body() }) }.start()
        }
    }
}

/// Says to such a thread that nobody waits for it any more.
final class CancellationFlag: Sendable {
    private let flag = Mutex(false)

    var isSet: Bool { flag.withLock { $0 } }

    func set() { flag.withLock { $0 = true } }
}

/// A lock between the processes of an app.
struct FileLock: Sendable {
    let file: URL

    /// Waits up to half a minute for the others; a process that dies lets go.
    func locked<Result: Sendable>(_ body: () async throws -> Result) async throws -> Result {
        try? FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700])
        let descriptor = open(file.path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw UplinkError.secrets(
                "\(file.path) cannot be opened: \(String(cString: strerror(errno)))")
        }
        defer { close(descriptor) }
        var tries = 0
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            tries += 1
            guard tries < 600 else {
                throw UplinkError.secrets("\(file.path) is held by another process.")
            }
            try await Task.sleep(for: .milliseconds(50))
        }
        return try await body()
    }
}
