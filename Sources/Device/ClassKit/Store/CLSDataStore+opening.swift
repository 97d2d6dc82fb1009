import ClassKitUplink
import Foundation

extension CLSDataStore {
    /// Opens the database and reads the tree, once. The reason why that fails is reported by look-ups and saves.
    func openIfNeeded() {
        executor.sync { _ = try? opened() }
    }

    /// The database. Called on `executor`.
    func opened() throws -> Database {
        if let database { return database }
        let settings = ObjectLock.locked { self.settings }
        if let obstacle = settings.obstacle { throw obstacle }
        let opened = try Database.opening(settings.file)
        try read(opened)
        database = opened
        connect(opened)
        return opened
    }

    /// Takes over what another process of the app has saved. Called on `executor`.
    func refresh() throws {
        let database = try opened()
        if try database.hasForeignChanges() || ObjectLock.locked({ isBehind }) {
            try read(database)
        }
    }

    /// Takes the database's contexts and attempts into the tree, unless a save is on its way from the tree to the
    /// database: then it happens after that. Otherwise, what was saved just now would look as if it were gone, or be
    /// overwritten with what it was before. Called on `executor`.
    func read(_ database: Database) throws {
        let contexts = try database.contexts()
        let activities = try database.currentActivities()
        ObjectLock.locked {
            isBehind = unwrittenPlans > 0
            guard !isBehind else { return }
            for row in contexts { take(row) }
            let known = Set(contexts.map { PathKey.make($0.path) })
            for context in root.subtree.reversed() {
                guard let path = context.savedPath, !known.contains(PathKey.make(path)) else {
                    continue
                }
                forget(context)
            }
            for row in activities { take(row) }
        }
    }

    /// Updates the object at a path in place, or makes one. Called with the lock held.
    func take(_ row: ContextRow) {
        let context: CLSContext
        if row.path.isEmpty {
            context = root
        } else if let known = root.descendant(at: row.path) {
            context = known
        } else {
            guard let identifier = row.path.last,
                let parent = root.descendant(at: row.path.dropLast()),
                !changes.removed.contains(where: { $0.savedPath == row.path })
            else { return }
            context = CLSContext(
                type: row.fields.type, identifier: identifier, title: row.fields.title)
            context.parentContext = parent
            parent.children.append(context)
        }
        // A local change that is not saved yet stays; the next save writes it.
        let isLocal = context.isNoted && (context.isChanged || context.savedPath == nil)
        context.savedPath = row.path
        guard !isLocal || context === root && !context.isChanged else {
            return context.isChanged = true
        }
        context.describe(as: row)
    }

    /// Takes a context out of the tree that the database no longer has. Called with the lock held.
    private func forget(_ context: CLSContext) {
        context.leaveParent()
        context.savedPath = nil
        if active === context { active = nil }
    }

    private func take(_ row: ActivityRow) {
        guard let context = root.descendant(at: row.path), context.current?.id != row.id else {
            return
        }
        // This process has begun an attempt that is not saved yet.
        if let current = context.current, !current.isSaved { return }
        context.current?.finish()
        let activity = CLSActivity(
            id: row.id, formerID: row.formerID, of: context, seconds: row.seconds,
            at: row.modifiedAt)
        activity.startedAt = row.startedAt
        activity.stoppedAt = row.stoppedAt ?? (row.startedAt == nil ? nil : row.modifiedAt)
        activity.ranges = row.ranges
        activity.primary = row.items.primary?.item(of: activity)
        activity.additional = row.items.additional.map { $0.item(of: activity) }
        activity.isSaved = true
        activity.restoreDates(created: row.created, modified: row.modifiedAt.wall)
        context.current = activity
    }

    func thumbnail(at path: [String]) -> Data? {
        executor.sync { try? opened().thumbnail(at: path) }
    }

    /// Reports what no completion handler can be told.
    func report(_ error: any Error, while doing: String) {
        log("\(doing): \(error.localizedDescription)")
    }

    func log(_ line: String) {
        try? FileHandle.standardError.write(contentsOf: Data("ClassKit: \(line)\n".utf8))
    }
}

extension ItemRecord {
    /// The item as apps see it.
    func item(of activity: CLSActivity) -> CLSActivityItem {
        let item: CLSActivityItem
        switch self {
        case .score(let identifier, let title, let score, let maxScore):
            item = CLSScoreItem(
                identifier: identifier, title: title, score: score, maxScore: maxScore)
        case .quantity(let identifier, let title, let quantity):
            let quantityItem = CLSQuantityItem(identifier: identifier, title: title)
            quantityItem.quantity = quantity
            item = quantityItem
        case .binary(let identifier, let title, let value, let valueType):
            let binary = CLSBinaryItem(
                identifier: identifier, title: title,
                type: CLSBinaryValueType(word: valueType) ?? .trueFalse)
            binary.value = value
            item = binary
        }
        item.activity = activity
        return item
    }
}
