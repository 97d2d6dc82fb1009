import School
import Synchronization

/// How many archives may be on their way into the spool at a time. Each takes up to a gigabyte of disk and may
/// come slowly.
package final class UploadPlaces: Sendable {
    private let limit: Int
    private let taken = Atomic<Int>(0)

    package init(_ limit: Int = 32) {
        self.limit = limit
    }

    /// Runs the body in a place; throws 503 at once where none is free.
    func take<Value>(_ body: () async throws -> Value) async throws -> Value {
        let number = taken.wrappingAdd(1, ordering: .relaxed).newValue
        defer { taken.wrappingSubtract(1, ordering: .relaxed) }
        guard number <= limit else { throw Problem.tooManyUploads }
        return try await body()
    }
}
