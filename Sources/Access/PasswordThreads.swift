import Crypto
import EventLoop
import School
import Synchronization

/// Where passwords are compared and hashed, off the loops: one at a time for those who sign in, and one at a
/// time for sheets, so that nobody waits to sign in behind a sheet.
///
/// Each costs a seventh of a second and 32 MiB, so that more at once would only slow each other down; when
/// a whole class waits already, the next one is told to come back.
package final class PasswordThreads: Sendable {
    /// How many sheets are made at a time, taking turns.
    private static let sheetsMax = 4

    private let threads: BlockingThreads
    private let sheetThreads = BlockingThreads(count: 1, queueLimit: sheetsMax)
    private let sheets = Mutex(0)

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

    /// Records of the new passwords of a sheet, in their order; 429 while enough sheets are made.
    func records(of passwords: [String]) async throws -> [String] {
        let isLetIn = sheets.withLock { sheets in
            guard sheets < Self.sheetsMax else { return false }
            sheets += 1
            return true
        }
        guard isLetIn else { throw Problem.sheetsBusy }
        defer { sheets.withLock { $0 -= 1 } }
        var records: [String] = []
        for password in passwords {
            records.append(try await sheetThreads.run { Scrypt.hash(password) })
        }
        return records
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
