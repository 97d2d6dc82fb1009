import Foundation

/// What a save writes, as it is at the moment of the call, and what it refuses.
struct SavePlan {
    private(set) var rows = SaveRows()
    private(set) var saved: [CLSObject] = []
    /// Contexts that were not in the database before.
    private(set) var made: [CLSContext] = []
    private(set) var errors: [CLSError] = []
    private let store: CLSDataStore
    private var planned: Set<ObjectIdentifier> = []

    /// Called with the lock held, like all methods. What is planned counts as saved from now on.
    init(_ store: CLSDataStore) { self.store = store }

    /// Plans everything that changed.
    mutating func planAll() {
        let changes = store.changes
        store.changes = Changes()
        rows.removals = changes.removedPaths
        for context in changes.removed { planRemoval(of: context) }
        for context in changes.contexts { plan(context) }
        // Contexts may have brought attempts of their own.
        let brought = store.changes.activities
        store.changes.activities = []
        for activity in changes.activities + brought { plan(activity) }
    }

    /// Plans contexts that the delegate made, parents first, and nothing else.
    mutating func plan(new contexts: [CLSContext]) {
        for context in contexts where context.savedPath == nil && context !== store.root {
            for member in context.subtree { plan(member) }
        }
        let planned = planned
        store.changes.contexts.removeAll { planned.contains(ObjectIdentifier($0)) }
    }

    private mutating func planRemoval(of context: CLSContext) {
        // Put back into the tree since: that is a move, which the context itself is noted for.
        guard context.isMarkedForRemoval || context.parentContext == nil else { return }
        if let path = context.savedPath { rows.removals.append(path) }
        for member in context.subtree { release(member) }
        context.leaveParent()
        context.isMarkedForRemoval = false
        saved.append(context)
    }

    /// Detaches a context from the database. Its attempt ends, and is reported as far as it went.
    private mutating func release(_ context: CLSContext) {
        if let activity = context.current, let path = context.savedPath {
            activity.finish()
            if ActivityChecks.error(in: activity) == nil {
                rows.activities.append(activity.row(at: path))
            }
        }
        context.savedPath = nil
        context.current = nil
        if store.active === context { store.active = nil }
    }

    private mutating func plan(_ context: CLSContext) {
        guard planned.insert(ObjectIdentifier(context)).inserted else { return }
        context.isNoted = false
        errors += context.faults
        context.faults = []
        guard context.store === store else { return }
        if let parent = context.parentContext {
            if parent.savedPath == nil, parent !== store.root { plan(parent) }
            settleRivals(of: parent)
            guard context.store === store,
                parent.savedPath != nil || parent === store.root
            else { return }
        }
        settleRivals(of: context)
        if let error = ContextChecks.error(in: context) {
            errors.append(error)
            guard context.savedPath == nil, context !== store.root else {
                // A saved context keeps what the database has until the app mends the change.
                context.noteForSave()
                return
            }
            context.leaveParent()
            return
        }
        write(context)
        for child in context.children.ordered where child.savedPath == nil { plan(child) }
    }

    /// Refuses children whose identifier a sibling has, unless that sibling was removed meanwhile.
    private mutating func settleRivals(of context: CLSContext) {
        for rival in context.children.rivals {
            context.children.remove(rival)
            if context.children[rival.identifier] == nil {
                context.children.append(rival)
                continue
            }
            rival.parentContext = nil
            rival.isNoted = false
            planned.insert(ObjectIdentifier(rival))
            errors.append(
                CLSError(
                    .invalidCreate,
                    """
                    There is a context with the identifier "\(rival.identifier)" below \
                    \(context.identifierPath) already.
                    """, object: rival))
        }
    }

    private mutating func write(_ context: CLSContext) {
        let path = context.pathBelowApp
        if let old = context.savedPath, old != path {
            rows.removals.append(old)
            for member in context.subtree { release(member) }
        }
        guard context.isChanged || (context.savedPath == nil && context !== store.root) else {
            return
        }
        context.isChanged = false
        var picture = PictureChange.none
        if case .changed(let image) = context.picture {
            picture = .file(image?.file)
            context.picture = image.map { .loaded($0) } ?? .absent
        }
        if context.savedPath == nil {
            takeAlong(context.current)
            made.append(context)
        }
        context.savedPath = path
        rows.contexts.append((row: context.row(at: path), picture: picture))
        saved.append(context)
    }

    /// Has the data store know an attempt that began before its context was in the tree.
    private func takeAlong(_ activity: CLSActivity?) {
        guard let activity, !activity.isNoted, !activity.isSaved else { return }
        activity.noteChange()
        if activity.isStarted { store.began(activity) }
    }

    private mutating func plan(_ activity: CLSActivity) {
        guard planned.insert(ObjectIdentifier(activity)).inserted else { return }
        activity.isNoted = false
        errors += activity.faults
        activity.faults = []
        guard let context = activity.context, let path = context.savedPath ?? rootPath(of: context)
        else { return }
        if let error = ActivityChecks.error(in: activity) {
            errors.append(error)
            activity.isNoted = true
            store.changes.activities.append(activity)
            return
        }
        activity.isSaved = true
        rows.activities.append(activity.row(at: path))
        saved.append(activity)
    }

    private func rootPath(of context: CLSContext) -> [String]? {
        context === store.root ? [] : nil
    }

    /// One error for everything that was refused; `nil` if nothing was.
    var error: CLSError? {
        guard let first = errors.first else { return nil }
        guard errors.count > 1 || !saved.isEmpty else { return first }
        var info: [String: Any] = [
            NSLocalizedDescriptionKey:
                "\(errors.count) of the changes could not be saved; the first: "
                + first.localizedDescription,
            CLSErrorUserInfoKey.underlyingErrorsKey.rawValue: errors,
            CLSErrorUserInfoKey.successfulObjectsKey.rawValue: saved,
        ]
        info[CLSErrorUserInfoKey.objectKey.rawValue] =
            first.userInfo[CLSErrorUserInfoKey.objectKey.rawValue]
        return CLSError(.partialFailure, userInfo: info)
    }
}
