import ClassKitUplink
import Foundation

extension CLSDataStore {
    /// Saves everything that is new, changed or removed.
    ///
    /// What you change after the call belongs to the next save. The data is on the disk when the completion handler is
    /// called, on any thread; it goes to the server later. There is no error because of a missing network, because
    /// nothing was assigned, or because of who the person is.
    @preconcurrency
    public func save(completion: (@Sendable ((any Error)?) -> Void)? = nil) {
        saveAll { error in
            if let completion { self.complete { completion(error) } }
        }
    }

    private func saveAll(_ completion: @escaping ((any Error)?) -> Void) {
        openIfNeeded()
        commit(completion) { $0.planAll() }
    }

    /// Saves everything that is new, changed or removed, and returns when it is on the disk.
    public func save() async throws {
        try await withCheckedThrowingContinuation {
            (continuation: CheckedContinuation<Void, any Error>) in
            saveAll { continuation.resume(with: $0) }
        }
    }

    /// Saves contexts that the delegate made.
    func save(new contexts: [CLSContext], completion: @escaping ((any Error)?) -> Void) {
        commit(completion) { $0.plan(new: contexts) }
    }

    /// - Parameter completion: called on `executor`: not code of the app.
    private func commit(
        _ completion: @escaping ((any Error)?) -> Void, _ planning: (inout SavePlan) -> Void
    ) {
        let completion = Unchecked(completion)
        ObjectLock.locked {
            var plan = SavePlan(self)
            planning(&plan)
            unwrittenPlans += 1
            let planned = Unchecked(plan)
            let time = clocks.now
            // With the lock held: of two plans, the one made later must be written later.
            executor.async {
                let error = self.write(planned.value, at: time)
                self.catchUp()
                completion.value(error ?? ObjectLock.locked { self.complaint })
            }
        }
    }

    /// Reads what could not be read while the tree was ahead of the database. Called on `executor` after each write.
    private func catchUp() {
        let mustRead = ObjectLock.locked {
            unwrittenPlans -= 1
            return unwrittenPlans == 0 && isBehind
        }
        // Where this fails, the next look-up tries again, and reports it.
        if mustRead, let database { try? read(database) }
    }

    /// Writes what was planned. Called on `executor`.
    /// - Returns: what was refused, or why nothing could be written.
    private func write(_ plan: SavePlan, at time: Moment) -> CLSError? {
        do {
            let database = try opened()
            guard !plan.rows.isEmpty else { return plan.error }
            try database.save(plan.rows, at: time)
            wake(plan.rows.activities.contains { !$0.isRunning } ? .now : .soon)
            return plan.error
        } catch {
            ObjectLock.locked { plan.undo(self) }
            return error as? CLSError
                ?? CLSError(
                    .databaseInaccessible,
                    "The changes could not be written: \(error.localizedDescription).")
        }
    }

    /// Keeps the times of what runs. Called on `executor` every 15 seconds.
    func beat() {
        let readings = ObjectLock.locked {
            running.map { activity in
                let seconds = activity.duration
                activity.modifiedAt = clocks.now
                return (id: activity.id, seconds: seconds)
            }
        }
        guard !readings.isEmpty else { return }
        do {
            try opened().beat(readings, at: clocks.now)
            wake(.soon)
        } catch {
            report(error, while: "keeping the time of an activity")
        }
    }
}

extension SavePlan {
    /// Has the next save try again what could not be written. Called with the lock held.
    func undo(_ store: CLSDataStore) {
        store.changes.removedPaths += rows.removals
        for context in made { context.savedPath = nil }
        for object in saved {
            switch object {
            case let context as CLSContext:
                context.isChanged = true
                context.noteForSave()
            case let activity as CLSActivity:
                if !activity.isNoted { store.changes.activities.append(activity) }
                activity.isNoted = true
            default: break
            }
        }
    }
}
