import API
import Synchronization

/// Limits how many archives may be uploaded to the spool at a time. Each takes up to a gigabyte of disk and may
/// arrive slowly.
package final class UploadSlots: Sendable {
    private let limit: Int
    private let taken = Atomic<Int>(0)

    package init(_ limit: Int = 32) {
        self.limit = limit
    }

    /// Runs the body with one of the free slots; throws 503 at once if there is none.
    func take<Value>(_ body: () async throws -> Value) async throws -> Value {
        let number = taken.wrappingAdd(1, ordering: .relaxed).newValue
        defer { taken.wrappingSubtract(1, ordering: .relaxed) }
        guard number <= limit else { throw Problem.tooManyUploads }
        return try await body()
    }
}
