import Foundation

/// The children of a context, in the order in which they were added.
struct Children {
    private(set) var ordered: [CLSContext] = []
    private var byIdentifier: [String: CLSContext] = [:]
    /// Children whose identifier a sibling had already. The next save refuses them.
    var rivals: [CLSContext] = []

    subscript(identifier: String) -> CLSContext? { byIdentifier[identifier] }

    mutating func append(_ child: CLSContext) {
        ordered.append(child)
        byIdentifier[child.identifier] = child
    }

    mutating func remove(_ child: CLSContext) {
        rivals.removeAll { $0 === child }
        guard byIdentifier[child.identifier] === child else { return }
        byIdentifier[child.identifier] = nil
        ordered.removeAll { $0 === child }
    }

    mutating func removeAll() { self = Children() }
}

extension CLSContext {
    /// The context above this one; `nil` for the main app context and for a context outside the tree.
    public var parent: CLSContext? { read(\.parentContext) }

    /// Adds a context below this one. A context has one parent: it leaves the one it had.
    ///
    /// If a child has the same identifier already, saving fails with `CLSError.invalidCreate`.
    public func addChildContext(_ child: CLSContext) {
        ObjectLock.locked {
            guard child.owner == nil, !ancestry.contains(where: { $0 === child }) else {
                return refuse(.invalidArgument, "A context cannot be its own descendant.")
            }
            guard child.parentContext !== self else { return }
            child.leaveParent()
            child.parentContext = self
            if children[child.identifier] == nil {
                children.append(child)
            } else {
                children.rivals.append(child)
            }
            child.isNoted = false
            child.noteForSave()
            noteForSave()
        }
    }

    /// Takes the context out of the tree. The next save removes it, unless you add it to another parent before.
    public func removeFromParent() {
        ObjectLock.locked {
            guard parentContext != nil else { return }
            let store = store
            leaveParent()
            if let store, savedPath != nil { store.changes.removed.append(self) }
        }
    }

    /// Looks up a context below this one, and has the delegate create those on the way that are missing.
    /// - Parameters:
    ///   - identifierPath: begins below this context.
    ///   - completion: called on any thread with the context, or `nil` if there is none.
    @preconcurrency
    public func descendant(
        matchingIdentifierPath identifierPath: [String],
        completion: @escaping @Sendable (CLSContext?, (any Error)?) -> Void
    ) {
        find(identifierPath) { context, error, store in
            store.complete { completion(context, error) }
        }
    }

    private func find(
        _ identifierPath: [String],
        completion: @escaping (CLSContext?, (any Error)?, CLSDataStore) -> Void
    ) {
        let store = ObjectLock.locked { self.store } ?? .shared
        store.lookUp(identifierPath, below: self) { found, error in
            let isWhole = found.count == identifierPath.count + 1
            completion(isWhole ? found.last : nil, error, store)
        }
    }

    /// Looks up a context below this one, and has the delegate create those on the way that are missing.
    /// - Parameter identifierPath: begins below this context.
    /// - Throws: `CLSError.invalidArgument` if the context does not exist.
    public func descendant(matchingIdentifierPath identifierPath: [String]) async throws
        -> CLSContext
    {
        if let known = ObjectLock.locked({ store })?.known(at: identifierPath, below: self) {
            return known
        }
        return try await withCheckedThrowingContinuation {
            (continuation: CheckedContinuation<Unchecked<CLSContext>, any Error>) in
            find(identifierPath) { context, error, _ in
                if let context {
                    continuation.resume(returning: Unchecked(context))
                } else {
                    continuation.resume(
                        throwing: error
                            ?? CLSError(
                                .invalidArgument,
                                "No context exists at the path \(identifierPath)."))
                }
            }
        }.value
    }

    /// The data store of the tree that this context is in. Called with the lock held.
    var store: CLSDataStore? { ancestry[0].owner }

    /// The contexts from the root down to this one. Called with the lock held.
    var ancestry: [CLSContext] {
        var reversed = [self]
        while let parent = reversed[reversed.count - 1].parentContext { reversed.append(parent) }
        return reversed.reversed()
    }

    /// The path below the app. Called with the lock held.
    var pathBelowApp: [String] { ancestry.dropFirst().map(\.identifier) }

    func leaveParent() {
        parentContext?.children.remove(self)
        parentContext = nil
    }

    /// This context and all below it, parents first. Called with the lock held.
    var subtree: [CLSContext] {
        var found = [self]
        var next = 0
        while next < found.count {
            found += found[next].children.ordered
            next += 1
        }
        return found
    }
}
