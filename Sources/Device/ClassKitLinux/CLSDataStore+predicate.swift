import ClassKit
import Foundation

extension CLSDataStore {
    /// Finds all contexts that match a predicate of Swift, as `#Predicate` makes them. The delegate is not asked.
    public func contexts(matching predicate: Predicate<CLSContext>) async throws -> [CLSContext] {
        try await contexts(matching: NSPredicate(value: true)).filter { try predicate.evaluate($0) }
    }
}
