import ClassKitUplink
import Foundation

/// The queue of one person, for the uplink that sends it.
///
/// It keeps the person's database and not the data store, which turns to another database when another person signs in.
final class StoreOutbox: Outbox, @unchecked Sendable {
    let subject: String
    private let database: Database
    private let executor: DispatchQueue
    private weak var store: CLSDataStore?

    /// - Parameter store: owns the database.
    init(subject: String, database: Database, of store: CLSDataStore) {
        self.subject = subject
        self.database = database
        executor = store.executor
        self.store = store
    }

    func removals(limit: Int) async throws -> [Outgoing<[String]>] {
        try await run { try $0.removals(limit: limit) }
    }

    func contexts(limit: Int) async throws -> [Outgoing<ContextRecord>] {
        try await run { try $0.contexts(limit: limit) }
    }

    func thumbnails(limit: Int) async throws -> [Outgoing<ThumbnailRecord>] {
        try await run { try $0.thumbnails(limit: limit) }
    }

    func activities(limit: Int) async throws -> [Outgoing<ActivityRecord>] {
        try await run { try $0.activities(limit: limit) }
    }

    func completions(limit: Int) async throws -> [Outgoing<CompletionRecord>] {
        try await run { try $0.completions(limit: limit) }
    }

    func stamp(_ stamps: [ActivityStamp]) async throws {
        try await run { try $0.stamp(stamps) }
    }

    func sent(_ tickets: [Ticket]) async throws {
        try await run { try $0.settle(tickets) }
    }

    func quarantine(_ refusals: [Refusal]) async throws {
        try await run { try $0.quarantine(refusals) }
    }

    func discard(_ tickets: [Ticket]) async throws {
        try await run { try $0.settle(tickets) }
    }

    func state(_ name: String) async throws -> Data? {
        try await run { try $0.state(name) }
    }

    func keep(_ state: Data, as name: String) async throws {
        try await run { try $0.keep(state, as: name) }
    }

    func beginReading() async throws -> Int64 {
        try await run { try $0.beginReading() }
    }

    func mirror(_ page: MirrorPage) async throws {
        let store = store
        try await run { database in
            try database.mirror(page)
            // The tree of the person who is signed in now, who may be another one.
            if let store, store.database === database { try store.read(database) }
        }
    }

    private func run<Result: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Result
    ) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            executor.async {
                continuation.resume(with: Swift.Result { try body(self.database) })
            }
        }
    }
}
