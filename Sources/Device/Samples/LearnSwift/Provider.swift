import ClassKit

/// Brings the contexts up to date while a teacher browses, without the app being started.
final class Provider: CLSContextProvider {
    func updateDescendants(
        of context: CLSContext, completion: @escaping @Sendable ((any Error)?) -> Void
    ) {
        // The path begins with the app.
        let path = Array(context.identifierPath.dropFirst())
        let predicate = NSPredicate(
            format: "%K = %@", CLSPredicateKeyPath.parent as CVarArg, context)
        CLSDataStore.shared.contexts(matching: predicate) { known, error in
            if let error { return completion(error) }
            let identifiers = Set(known.map(\.identifier))
            // The same path twice is an error: only what is missing is added.
            for child in ContextMaker.children(of: path)
            where !identifiers.contains(child.identifier) {
                context.addChildContext(child)
            }
            CLSDataStore.shared.save(completion: completion)
        }
    }
}
