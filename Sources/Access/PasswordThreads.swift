import Crypto
import EventLoop
import School

/// Where passwords are compared and hashed: one at a time, off the loops.
///
/// Each costs a seventh of a second and 32 MiB, so that more at once would only slow each other down; when
/// a whole class waits already, the next one is told to come back.
package final class PasswordThreads: Sendable {
    private let threads: BlockingThreads

    package init(queueLimit: Int = 32) {
        threads = BlockingThreads(count: 1, queueLimit: queueLimit)
    }

    /// How many passwords wait and are worked on, and how many callers were told to come back.
    var load: BlockingThreads.Load { threads.load }

    /// Whether the record was made from the password; without a record it takes as long and was not.
    func matches(_ password: String, _ record: String?) async throws -> Bool {
        try await run { Scrypt.verify(password, against: record) }
    }

    /// A record of a new password.
    func record(of password: String) async throws -> String {
        try await run { Scrypt.hash(password) }
    }

    private func run<Value: Sendable>(
        _ body: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        do {
            return try await threads.run(body)
        } catch is BlockingThreads.Full {
            throw Problem.signInBusy
        }
    }
}
