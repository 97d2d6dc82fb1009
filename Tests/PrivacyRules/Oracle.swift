/// Says who sees what in a school, knowing everything that was done there.
///
/// Written from the rules of privacy alone, and numbered as in `Sources/privacy.md`; it shares neither code nor SQL
/// with the service. Where the two differ, one of them does not follow the rules.
package struct Oracle: Sendable {
    /// An attempt as it is kept.
    struct Kept: Sendable {
        let context: Context
        let start: Moment
        let firstStored: Moment
        var parts: [KeptPart]

        /// The tasks it may count for (rule 2).
        var tasks: Set<TaskName> { parts.reduce(into: []) { $0.formUnion($1.tasks) } }
    }

    /// A part of an attempt, and the assignments it counts for unless the next attempt began earlier.
    struct KeptPart: Sendable {
        let part: Part
        var tasks: Set<TaskName>
    }

    /// A task and a student.
    package struct Assignment: Hashable, Sendable {
        package let task: TaskName
        package let student: PersonName
    }

    /// The moment it is asked about.
    package private(set) var now: Moment = 0
    private var states: [(since: Moment, state: SchoolState)] = [(0, SchoolState())]
    /// The moments of a lock, a publication, a leaving …: between two of them nothing changes.
    private var turns: Set<Moment> = []
    private(set) var kept: [ActivityName: Kept] = [:]
    /// Tasks that were removed from handouts, for which nothing counts any more.
    private var removed: Set<TaskName> = []
    /// Every context that an app ever saved for a person.
    private(set) var saved: [OwnContext: Int] = [:]
    package private(set) var erased: Set<PersonName> = []
    private(set) var notes: [Assignment: Noted] = [:]

    package init() {}

    /// Lets time pass until a moment.
    package mutating func wait(until moment: Moment) { now = moment }

    /// Learns what was done next.
    package mutating func follow(_ event: Event) {
        var state = states[states.count - 1].state
        state.follow(event)
        states.append((event.at, state))
        turns.insert(event.at)
        switch event.deed {
        case .gives(let handout): if let moment = handout.publication { turns.insert(moment) }
        case .publishes(_, let moment), .willJoin(_, _, _, let moment),
            .willLeave(_, _, _, let moment):
            turns.insert(moment)
        case .switchesSchool(isOn: false, deletes: true): kept = [:]
        // Rule 8: off for one student deletes that student's activities.
        case .switchesStudent(let student, isOn: false):
            kept = kept.filter { $0.key.student != student }
        case .saves(let context, let edition): saved[context] = edition
        case .erases(let person):
            kept = kept.filter { $0.key.student != person }
            notes = notes.filter { $0.key.student != person }
            erased.insert(person)
        case .opens(let task, let student, let isOpened):
            notes[Assignment(task: task, student: student), default: Noted()].isOpened = isOpened
        case .marksDone(let task, let student, let isDone):
            notes[Assignment(task: task, student: student), default: Noted()].isDone = isDone
        case .givesBack(let task, let student, let given):
            let assignment = Assignment(task: task, student: student)
            notes[assignment, default: Noted()].givenBack = given
            if given.isToTryAgain { notes[assignment]?.isDone = false }
        case .takesBack(let task, let student):
            notes[Assignment(task: task, student: student)]?.givenBack = nil
        case .edits(_, let removed, _, _): forget(Set(removed))
        case .reportsCompletion(let student, let context):
            for task in tasks(for: context, openTo: student, at: event.at) {
                notes[Assignment(task: task, student: student), default: Noted()].isDone = true
            }
        case .uploads(let parts): for part in parts { store(part, arrivedAt: event.at) }
        default: break
        }
    }

    /// What was recorded for a task is removed with it.
    private mutating func forget(_ tasks: Set<TaskName>) {
        notes = notes.filter { !tasks.contains($0.key.task) }
        kept = kept.mapValues {
            var attempt = $0
            for index in attempt.parts.indices { attempt.parts[index].tasks.subtract(tasks) }
            attempt.parts.removeAll { $0.tasks.isEmpty }
            return attempt
        }
        removed.formUnion(tasks)
    }

    /// Learns whose context a task assigns: of several that a teacher may name, the service chooses one.
    package mutating func learn(_ owner: PersonName, of task: TaskName) {
        states[states.count - 1].state.note(owner, of: task)
    }

    /// The state of the school at a moment.
    func state(at moment: Moment) -> SchoolState {
        states.last { $0.since <= moment }?.state ?? SchoolState()
    }

    var today: SchoolState { state(at: now) }

    // MARK: Rule 1, what is stored

    private static let thirtyDays = 30 * 24 * 60

    private mutating func store(_ part: Part, arrivedAt arrival: Moment) {
        let state = state(at: arrival)
        let student = part.activity.student
        // Student progress is on for the organization and for the student.
        guard state.isProgressOn, !state.pausedStudents.contains(student) else { return }
        // Its time is from its start to its stop, or to its arrival where that is absent or later.
        let end = min(part.stop ?? arrival, arrival)
        // An upload may arrive up to 30 days late.
        guard arrival - end <= Self.thirtyDays else { return }
        // A teacher who assigns the same context later does not see earlier work (rule 2).
        let last = min(end, kept[part.activity]?.firstStored ?? end)
        let tasks = tasks(for: part.context, openTo: student, from: part.start, to: last)
            .filter { !isClosed($0, at: part.changed / 60) }
        guard !tasks.isEmpty else { return }
        keep(part, for: tasks, arrivedAt: arrival)
    }

    /// The tasks for this very context (same app, environment and path) that the student had open at some moment of an
    /// interval.
    private func tasks(
        for context: Context, openTo student: PersonName, from start: Moment, to end: Moment
    ) -> Set<TaskName> {
        let moments = [start, end] + turns.filter { start < $0 && $0 < end }
        return moments.reduce(into: []) {
            $0.formUnion(tasks(for: context, openTo: student, at: $1))
        }
    }

    private func tasks(
        for context: Context, openTo student: PersonName, at moment: Moment
    ) -> Set<TaskName> {
        let state = state(at: moment)
        let open = state.given.values.filter { isOpen($0, to: student, at: moment, state) }
        return Set(
            open.flatMap(\.handout.tasks).filter { $0.context == context && state.has($0) }.map(
                \.name)
        ).subtracting(removed)
    }

    /// From publication until the handout is locked, completed or deleted, or the student leaves; marking done
    /// does not close it.
    func isOpen(
        _ given: SchoolState.Given, to student: PersonName, at moment: Moment,
        _ state: SchoolState
    ) -> Bool {
        guard let publication = given.handout.publication, publication <= moment else {
            return false
        }
        return !given.isLocked && !given.isCompleted && !given.isDeleted
            && state.archivedAt[given.handout.classroom] == nil
            && state.sits(student, in: given.handout.classroom, at: moment)
            && given.handout.recipients.include(student)
    }

    /// Whether a change at a moment does not count for a task: the handout was locked or completed, or its class was
    /// archived.
    private func isClosed(_ task: TaskName, at moment: Moment) -> Bool {
        guard let name = today.given.values.first(where: { $0.has(task) })?.handout.name
        else { return false }
        let state = state(at: moment)
        if let given = state.given[name], given.isLocked || given.isCompleted { return true }
        guard let classroom = today.given[name]?.handout.classroom,
            state.archivedAt[classroom] != nil
        else { return false }
        // A handout published after the class was reopened is unaffected by the archiving.
        guard
            let revival = states.first(where: {
                $0.since > moment && $0.state.archivedAt[classroom] == nil
            })
        else { return true }
        let publication = revival.state.given[name]?.handout.publication
        return publication.map { $0 < revival.since } ?? false
    }

    // MARK: Nothing is lost, nothing doubles

    private mutating func keep(
        _ part: Part, for tasks: Set<TaskName>, arrivedAt arrival: Moment
    ) {
        var attempt =
            kept[part.activity]
            ?? Kept(context: part.context, start: part.start, firstStored: arrival, parts: [])
        if let index = attempt.parts.firstIndex(where: { $0.part == part }) {
            attempt.parts[index].tasks.formUnion(tasks)
        } else {
            attempt.parts.append(KeptPart(part: part, tasks: tasks))
        }
        kept[part.activity] = attempt
    }
}
