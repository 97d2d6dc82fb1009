import Foundation

/// Creates contexts that the data store looks for and does not have.
public protocol CLSDataStoreDelegate: NSObjectProtocol {
    /// Creates a context that is missing on a path.
    ///
    /// Called once for each missing element, from the top down, on a thread of ClassKit. The data store adds the context
    /// to its parent and saves it.
    /// - Parameter parentIdentifierPath: the identifiers that lead to the parent, below the app; empty for the app's own
    ///   children.
    /// - Returns: `nil` if the app has no context there, which ends the look-up.
    func createContext(
        forIdentifier identifier: String, parentContext: CLSContext, parentIdentifierPath: [String]
    ) -> CLSContext?
}
