import EventLoop
import Log
import Metrics
import Postgres
import Synchronization
import Values

/// Students' work that an answer shows: of a class, or of one student in it.
package struct ViewedWork: Hashable, Sendable {
    /// How the class is named.
    fileprivate enum Taught: Hashable, Sendable {
        case handout(HandoutID)
        case itself(Reference<ClassEntity>)
    }

    fileprivate let taught: Taught
    /// `nil` for all students.
    fileprivate let student: Reference<PersonEntity>?

    /// The work at a handout.
    package init(of student: Reference<PersonEntity>? = nil, at handout: HandoutID) {
        taught = .handout(handout)
        self.student = student
    }

    /// The work in a class.
    package init(of student: Reference<PersonEntity>? = nil, in taught: Reference<ClassEntity>) {
        self.taught = .itself(taught)
        self.student = student
    }
}

/// Notes who looked at the work of which students, after it was read and before it is sent.
///
/// A viewing that cannot be written, because the database is read-only or slow, does not fail the answer. It is kept in
/// memory and written later. The same viewing in the same minute is not written again.
package final class Viewings: Sendable {
    private struct Key: Hashable {
        let organization: OrganizationID
        let reader: PersonID
        let work: ViewedWork
    }

    /// A viewing that could not be written yet.
    private struct Late {
        let work: ViewedWork
        let caller: Caller
        let moment: Timestamp
    }

    private struct State {
        /// The minute since 1970 in which the keys of `noted` were noted.
        var minute: Int64 = 0
        var noted: Set<Key> = []
        var late: [Late] = []
        var isTryingAgain = false
    }

    /// How many keys are kept in memory; more are written each time.
    private static let notedMax = 20_000
    /// How many viewings wait at most until they can be written.
    static let lateMax = 10_000

    private let database: Database
    private let log: Log?
    private let lost = Counter()
    private let state = Mutex(State())

    package init(database: Database, log: Log? = nil) {
        self.database = database
        self.log = log
    }

    /// Notes that the caller is about to be shown this work. Never throws, so that the answer does not fail.
    package func note(_ work: ViewedWork, as caller: Caller) async {
        guard let reader = caller.personID else { return }
        let moment = Clock.now
        let key = Key(organization: caller.organizationID, reader: reader, work: work)
        guard isNew(key, at: moment) else { return }
        // The work may have been read from a replica; only the primary can be written.
        var writer = caller
        writer.readsReplica = false
        do {
            _ = try await database.query(.note(work, at: moment), as: writer)
        } catch {
            log?.warning("viewing not written yet", ["cause": .text(logText(of: error))])
            keep(Late(work: work, caller: writer, moment: moment))
        }
    }

    /// Tries once to write what waits, the latest first.
    package func writeLate() async {
        while let next = state.withLock({ $0.late.popLast() }) {
            do {
                _ = try await database.query(.note(next.work, at: next.moment), as: next.caller)
            } catch {
                return state.withLock { $0.late.append(next) }
            }
        }
    }

    /// Logs how many viewings are lost when the process ends.
    package func stop() {
        let count = state.withLock { state in
            defer { state.late = [] }
            return state.late.count
        }
        if count > 0 { log?.error("viewings lost", ["count": .int(count)]) }
    }

    package func export(to metrics: inout Exposition) {
        metrics.gauge(
            "homeroom_viewings_waiting",
            "Viewings that could not be written yet and are kept in memory.",
            state.withLock { $0.late.count })
        metrics.counter(
            "homeroom_viewings_lost_total",
            "Viewings that were given up because too many could not be written.", lost.value)
    }

    private func isNew(_ key: Key, at moment: Timestamp) -> Bool {
        state.withLock { state in
            let minute = moment.milliseconds / 60_000
            if state.minute != minute { (state.minute, state.noted) = (minute, []) }
            if state.noted.count >= Self.notedMax { return !state.noted.contains(key) }
            return state.noted.insert(key).inserted
        }
    }

    private func keep(_ viewing: Late) {
        let (isKept, mustTry) = state.withLock { state in
            let isKept = state.late.count < Self.lateMax
            if isKept { state.late.append(viewing) }
            defer { state.isTryingAgain = true }
            return (isKept, !state.isTryingAgain)
        }
        if !isKept {
            lost.add()
            log?.error("viewing lost")
        }
        if mustTry { Loop.current?.spawn { await self.tryAgain() } }
    }

    /// Tries every few seconds until nothing waits.
    private func tryAgain() async {
        repeat {
            await pause(milliseconds: 5000)
            await writeLate()
        } while state.withLock { state in
            state.isTryingAgain = !state.late.isEmpty
            return state.isTryingAgain
        }
    }
}

extension Statement {
    fileprivate static func note(_ work: ViewedWork, at moment: Timestamp) -> Statement {
        var handout: HandoutID?
        var taught: Reference<ClassEntity>?
        switch work.taught {
        case .handout(let id): handout = id
        case .itself(let reference): taught = reference
        }
        return """
            select school.note_viewing(\(handout), \(taught?.id), \(taught?.source), \(work.student?.id),
                                       \(work.student?.source), \(moment))
            """
    }
}
