import Foundation

/// Creates contexts that the data store looks for and does not have.
///
/// It is called on threads of ClassKit, so that code of the main actor cannot be one: where that is the default, a type
/// that conforms is outside of it (SE-0470).
public protocol CLSDataStoreDelegate: NSObjectProtocol, SendableMetatype {
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
