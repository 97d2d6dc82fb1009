import ClassKitUplink
import Foundation

extension CLSDataStore {
    /// Has an uplink send what the database queues. Called on `executor`, once for each database.
    func connect(_ database: Database) {
        let settings = ObjectLock.locked { self.settings }
        // What nobody in particular has done goes up in nobody's name.
        guard let link = settings.link, let subject = settings.subject else { return }
        let uplink = Uplink(
            configuration: link.configuration,
            outbox: StoreOutbox(subject: subject, database: database, of: self),
            tokens: link.tokens, transport: link.transport,
            onNotice: { [weak self] in self?.take($0) })
        ObjectLock.locked { self.uplink = uplink }
        Task { await uplink.start() }
    }

    /// Says that something was queued.
    func wake(_ urgency: Urgency) {
        ObjectLock.locked { uplink }?.wake(urgency)
    }

    private func take(_ notice: UplinkNotice) {
        switch notice {
        case .expired(let count):
            log("\(count) changes were not sent for 30 days and are dropped.")
        case .quarantined(let refusals):
            for refusal in refusals {
                log("The server refuses \(refusal.pointer): \(refusal.detail) (\(refusal.code))")
            }
        default: break
        }
        let handler = ObjectLock.locked {
            if notice == .signInNeeded {
                complaint = CLSError(
                    .invalidAccountCredentials,
                    "The sign-in is over. What is saved is kept, and sent after the next sign-in.")
            }
            return noticeHandler
        }
        handler(notice)
    }

    /// Turns to another person, or to nobody. What is running stops, and is kept for the person before.
    package func turn(to subject: String?) async throws {
        let former = ObjectLock.locked { uplink }
        await former?.stop()
        try await withCheckedThrowingContinuation {
            (continuation: CheckedContinuation<Void, any Error>) in
            executor.async {
                continuation.resume(with: Swift.Result { try self.turnNow(to: subject) })
            }
        }
    }

    /// Called on `executor`.
    private func turnNow(to subject: String?) throws {
        let former = try opened()
        let plan = ObjectLock.locked {
            for activity in running { activity.stop() }
            var plan = SavePlan(self)
            plan.planAll()
            return plan
        }
        try former.save(plan.rows, at: clocks.now)
        // Contexts are the app's and come along from nobody. Attempts stay: nobody knows whose they are.
        let isFromNobody = ObjectLock.locked { settings.subject == nil && subject != nil }
        let contexts = isFromNobody ? try former.contexts() : []
        ObjectLock.locked {
            clear()
            settings.subject = subject
            uplink = nil
            complaint = nil
        }
        database = nil
        let current = try opened()
        let adopted = ObjectLock.locked {
            for row in contexts where root.descendant(at: row.path) == nil { adopt(row) }
            var plan = SavePlan(self)
            plan.planAll()
            return plan
        }
        try current.save(adopted.rows, at: clocks.now)
        wake(.now)
    }

    private func adopt(_ row: ContextRow) {
        guard let parent = root.descendant(at: row.path.dropLast()), let identifier = row.path.last
        else { return }
        let context = CLSContext(
            type: row.fields.type, identifier: identifier, title: row.fields.title)
        context.describe(as: row)
        context.picture = .absent
        parent.addChildContext(context)
    }

    /// Empties the tree. Called with the lock held.
    private func clear() {
        for context in root.subtree.dropFirst() {
            context.parentContext = nil
            context.savedPath = nil
        }
        root.children.removeAll()
        root.current = nil
        root.savedPath = nil
        root.isNoted = false
        root.isChanged = false
        root.fields = ContextFields(type: .app, title: settings.title)
        changes = Changes()
        active = nil
        pausedInBackground = []
        fetchedThumbnails = []
        askedPaths = [:]
        lastSilence = nil
    }

    /// Fetches a picture that was set elsewhere, once. Properties do not wait for the network.
    func fetchThumbnail(at path: [String]) {
        let uplink = ObjectLock.locked {
            fetchedThumbnails.insert(path).inserted ? self.uplink : nil
        }
        guard let uplink else { return }
        Task {
            guard let file = try? await uplink.thumbnail(of: path) else { return }
            executor.async {
                // Another person may have signed in meanwhile.
                guard ObjectLock.locked({ self.uplink }) === uplink else { return }
                try? self.database?.write(file, at: path)
            }
        }
    }

    /// How much waits for sending.
    package func unsentCount() async throws -> Int {
        try await withCheckedThrowingContinuation { continuation in
            executor.async {
                continuation.resume(
                    with: Swift.Result {
                        try self.opened().sql.rows("select count(*) from outbox") {
                            $0.integer(0)
                        }.first ?? 0
                    })
            }
        }
    }

    /// Sends what waits, as far as that is possible now, and fetches what changed on the server.
    package func synchronize() async {
        openIfNeeded()
        guard let uplink = ObjectLock.locked({ self.uplink }) else { return }
        await uplink.flush()
        try? await uplink.refreshMirror()
    }

    /// Stops what runs, until `enterForeground()`.
    package func enterBackground() {
        let stopped = ObjectLock.locked {
            let stopped = running
            for activity in stopped { activity.stop() }
            pausedInBackground += stopped
            return stopped
        }
        if !stopped.isEmpty { save() }
        wake(.now)
    }

    /// Lets go on what `enterBackground()` has stopped, unless it is over meanwhile.
    package func enterForeground() {
        let resumed = ObjectLock.locked {
            let resumed = pausedInBackground.filter { !$0.isFinal }
            pausedInBackground = []
            for activity in resumed { activity.start() }
            return resumed
        }
        if !resumed.isEmpty { save() }
    }
}
