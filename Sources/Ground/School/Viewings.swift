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

    /// The work in rows of an answer: for each class that of its student, or of the class if there are several.
    package static func shown(_ rows: [(taught: ClassID, student: PersonID)]) -> [ViewedWork] {
        var students: [ClassID: Set<PersonID>] = [:]
        for row in rows { students[row.taught, default: []].insert(row.student) }
        return students.map { taught, students in
            let only = students.count == 1 ? students.first : nil
            return ViewedWork(of: only.map { Reference.id($0) }, in: .id(taught))
        }
    }
}

/// Notes who looked at the work of which students, after it was read and before it is sent: a person, or another system
/// of the school.
///
/// A viewing that cannot be written, because the database is read-only or slow, does not fail the answer. It is kept in
/// memory and written later. The same viewing in the same minute is not written again.
package final class Viewings: Sendable {
    private struct Key: Hashable {
        let organization: OrganizationID
        /// The id of a person or of a service account.
        let reader: UUID
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
    /// How many are written by one statement.
    private static let writtenMax = 200

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
        await note([work], as: caller)
    }

    /// The same of the work in several classes.
    package func note(_ works: [ViewedWork], as caller: Caller) async {
        guard let reader = caller.personID?.uuid ?? caller.serviceAccountID?.uuid else { return }
        let moment = database.clock.now
        let organization = caller.organizationID
        let new = works.filter { work in
            isNew(Key(organization: organization, reader: reader, work: work), at: moment)
        }
        // The work may have been read from a replica; only the primary can be written.
        var writer = caller
        writer.readsReplica = false
        for start in stride(from: 0, to: new.count, by: Self.writtenMax) {
            let next = Array(new[start..<min(start + Self.writtenMax, new.count)])
            do {
                _ = try await database.query(.note(next, at: moment), as: writer)
            } catch {
                log?.warning("viewing not written yet", ["cause": .text(logText(of: error))])
                for work in next {
                    keep(Late(work: work, caller: writer, moment: moment))
                }
            }
        }
    }

    /// Tries once to write what waits, the latest first.
    package func writeLate() async {
        while let next = state.withLock({ $0.late.popLast() }) {
            do {
                _ = try await database.query(.note([next.work], at: next.moment), as: next.caller)
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

extension ViewedWork {
    fileprivate var handoutID: UUID? {
        if case .handout(let id) = taught { id.uuid } else { nil }
    }

    fileprivate var group: Reference<ClassEntity>? {
        if case .itself(let reference) = taught { reference } else { nil }
    }
}

extension Statement {
    /// In an order that is the same for all who note, so that none waits for another in a circle.
    fileprivate static func note(_ works: [ViewedWork], at moment: Timestamp) -> Statement {
        """
        select school.note_viewing(w.handout_id, w.class_id, w.class_source, w.student_id, w.student_source, \(moment))
          from unnest(\(works.map(\.handoutID)), \(works.map { $0.group?.id?.uuid }),
                      \(works.map { $0.group?.source }), \(works.map { $0.student?.id?.uuid }),
                      \(works.map { $0.student?.source }))
               as w (handout_id, class_id, class_source, student_id, student_source)
         order by w.handout_id, w.class_id, w.student_id
        """
    }
}
