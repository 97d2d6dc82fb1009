import ClassKitUplink
import Foundation

extension CLSDataStore {
    /// Looks up every context on a path, and has the delegate create those that are missing.
    /// - Parameters:
    ///   - identifierPath: begins below the main app context, or with it.
    ///   - completion: called on any thread with the contexts from the first element of the path down. There are fewer
    ///     than elements if a context is missing.
    @preconcurrency
    public func contexts(
        matchingIdentifierPath identifierPath: [String],
        completion: @escaping @Sendable ([CLSContext], (any Error)?) -> Void
    ) {
        find(identifierPath) { contexts, error in
            self.complete { completion(contexts, error) }
        }
    }

    private func find(
        _ identifierPath: [String],
        completion: @escaping ([CLSContext], (any Error)?) -> Void
    ) {
        // Talks and documentation show both forms: the path with the app's identifier, which also finds the app, and
        // the path without it.
        let beginsWithApp = ObjectLock.locked {
            identifierPath.first == root.identifier && root.children[root.identifier] == nil
        }
        lookUp(Array(identifierPath.dropFirst(beginsWithApp ? 1 : 0)), below: root) {
            completion(beginsWithApp ? $0 : Array($0.dropFirst()), $1)
        }
    }

    /// Looks up every context on a path, and has the delegate create those that are missing.
    /// - Parameter identifierPath: begins below the main app context, or with it.
    /// - Returns: the contexts from the first element of the path down; fewer than elements if a context is missing.
    public func contexts(matchingIdentifierPath identifierPath: [String]) async throws
        -> [CLSContext]
    {
        try await withCheckedThrowingContinuation {
            (continuation: CheckedContinuation<Unchecked<[CLSContext]>, any Error>) in
            find(identifierPath) { contexts, error in
                continuation.resume(with: Outcome.of(error == nil ? contexts : nil, error))
            }
        }.value
    }

    /// Finds all contexts that match a predicate. The delegate is not asked.
    /// - Parameter completion: called on any thread.
    @preconcurrency
    public func contexts(
        matching predicate: NSPredicate,
        completion: @escaping @Sendable ([CLSContext], (any Error)?) -> Void
    ) {
        let call = Unchecked((predicate: predicate, completion: completion))
        lookUps.async {
            do {
                try self.executor.sync { try self.refresh() }
                let contexts = ObjectLock.locked { self.root.subtree }
                let found = try PredicateFailure.reported {
                    contexts.filter { call.value.predicate.evaluate(with: $0) }
                }
                self.complete { call.value.completion(found, nil) }
            } catch {
                self.complete { call.value.completion([], error) }
            }
        }
    }

    /// Finds all contexts that match a predicate. The delegate is not asked.
    public func contexts(matching predicate: NSPredicate) async throws -> [CLSContext] {
        try await withCheckedThrowingContinuation {
            (continuation: CheckedContinuation<Unchecked<[CLSContext]>, any Error>) in
            contexts(matching: predicate) { contexts, error in
                continuation.resume(with: Outcome.of(error == nil ? contexts : nil, error))
            }
        }.value
    }

    /// The context at a path, if it is there already; found without changing threads, which takes longer than looking.
    ///
    /// The main thread gets `nil`: it must not wait for the disk.
    func known(at path: [String], below ancestor: CLSContext) -> CLSContext? {
        guard !path.isEmpty, !Thread.isMainThread,
            (try? executor.sync { try refresh() }) != nil
        else { return nil }
        return ObjectLock.locked { ancestor.descendant(at: path) }
    }

    /// Finds the contexts on a path, the given ancestor first.
    /// - Parameter completion: called on a thread that must not be held up: not code of the app.
    func lookUp(
        _ path: [String], below ancestor: CLSContext,
        completion: @escaping ([CLSContext], (any Error)?) -> Void
    ) {
        let call = Unchecked((ancestor: ancestor, completion: completion))
        askServer(for: path, below: ancestor) {
            do {
                try self.executor.sync { try self.refresh() }
            } catch {
                return call.value.completion([], error)
            }
            let (found, hasNew) = self.walk(path, from: call.value.ancestor)
            let result = Unchecked(found)
            guard hasNew else { return call.value.completion(result.value, nil) }
            self.save(new: result.value) { call.value.completion(result.value, $0) }
        }
    }

    /// How long a look-up waits for the server at most. What comes later is found by the next one.
    private static let patience = DispatchTimeInterval.seconds(5)
    /// The server is not asked for the same path again within so many seconds, and for no path after it gave no answer:
    /// without a network, an app that goes through its contexts must not wait at each of them.
    private static let secondsBetweenQuestions = 10.0

    /// Asks the server for what is missing on a path, where there is one: of what a handout assigns, the mirror has
    /// nothing that only the device of a teacher made. Then goes on, on `lookUps`, whatever the answer is.
    private func askServer(
        for path: [String], below ancestor: CLSContext, then body: @escaping @Sendable () -> Void
    ) {
        let call = Unchecked(ancestor)
        lookUps.async {
            guard (try? self.executor.sync { try self.refresh() }) != nil,
                let (uplink, whole) = self.question(path, below: call.value)
            else { return body() }
            let goesOn = Once { self.lookUps.async(execute: body) }
            Task {
                do {
                    try await uplink.mirror(whole)
                } catch {
                    self.noteSilence()
                }
                goesOn.run()
            }
            self.lookUps.asyncAfter(deadline: .now() + Self.patience) {
                if goesOn.run() { self.noteSilence() }
            }
        }
    }

    private func noteSilence() {
        let now = clocks.now.uptime
        ObjectLock.locked { lastSilence = now }
    }

    /// Whom to ask for the whole path, if some of it is missing and was not asked for just now.
    private func question(_ path: [String], below ancestor: CLSContext) -> (Uplink, [String])? {
        let now = clocks.now.uptime
        return ObjectLock.locked {
            guard let uplink, ancestor.store === self, ancestor.descendant(at: path) == nil else {
                return nil
            }
            let whole = ancestor.pathBelowApp + path
            let last = [lastSilence, askedPaths[whole]].compactMap(\.self).max()
            if let last, now - last < Self.secondsBetweenQuestions { return nil }
            askedPaths[whole] = now
            return (uplink, whole)
        }
    }

    /// Follows a path, on `lookUps`. The lock is not held while the delegate is called, because it may call back.
    private func walk(_ path: [String], from ancestor: CLSContext) -> (
        found: [CLSContext], hasNew: Bool
    ) {
        var found = [ancestor]
        var hasNew = false
        for identifier in path {
            let parent = found[found.count - 1]
            if let known = ObjectLock.locked({ parent.children[identifier] }) {
                found.append(known)
                continue
            }
            let parentPath = ObjectLock.locked { parent.pathBelowApp }
            guard
                let new = delegate?.createContext(
                    forIdentifier: identifier, parentContext: parent,
                    parentIdentifierPath: parentPath)
            else { break }
            // The delegate may have added it itself, or return one that has another identifier.
            if ObjectLock.locked({ new.parentContext !== parent }) { parent.addChildContext(new) }
            guard let child = ObjectLock.locked({ parent.children[identifier] }) else { break }
            found.append(child)
            hasNew = true
        }
        return (found, hasNew)
    }

    /// Calls a completion handler of the app.
    func complete(_ body: @escaping () -> Void) {
        let call = Unchecked(body)
        completions.async { call.value() }
    }
}
