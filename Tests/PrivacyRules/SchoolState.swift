/// The state of a school at a moment, as far as the rules need it.
struct SchoolState: Sendable {
    struct Seat: Hashable, Sendable {
        let person: PersonName
        let role: Role
        let classroom: ClassName
    }

    struct Given: Sendable {
        var handout: Handout
        var isLocked = false
        var isCompleted = false
        var isDeleted = false

        func has(_ task: TaskName) -> Bool { handout.tasks.contains { $0.name == task } }
    }

    /// A person is present from one moment until before another; `nil` for as far as is known.
    struct Stay: Sendable {
        let from: Moment
        var until: Moment?

        func includes(_ moment: Moment) -> Bool {
            from <= moment && until.map { moment < $0 } ?? true
        }
    }

    private var stays: [Seat: [Stay]] = [:]
    /// When each archived class was archived.
    private(set) var archivedAt: [ClassName: Moment] = [:]
    private(set) var given: [HandoutName: Given] = [:]
    /// It is off for a new school.
    private(set) var isProgressOn = false
    private(set) var pausedStudents: Set<PersonName> = []
    private(set) var withdrawn: Set<Context> = []
    /// What apps saved for people, and its titles.
    private(set) var own: [OwnContext: Int] = [:]

    func sits(_ student: PersonName, in classroom: ClassName, at moment: Moment) -> Bool {
        has(Seat(person: student, role: .student, classroom: classroom), at: moment)
    }

    func students(in classroom: ClassName, at moment: Moment) -> Set<PersonName> {
        Set(
            stays.keys.filter { $0.role == .student && $0.classroom == classroom }.map(\.person)
                .filter { sits($0, in: classroom, at: moment) })
    }

    /// Everyone who ever had a seat.
    var seated: Set<PersonName> { Set(stays.keys.map(\.person)) }

    func teaches(_ teacher: PersonName, _ classroom: ClassName, at moment: Moment) -> Bool {
        has(Seat(person: teacher, role: .teacher, classroom: classroom), at: moment)
    }

    private func has(_ seat: Seat, at moment: Moment) -> Bool {
        stays[seat]?.contains { $0.includes(moment) } ?? false
    }

    private mutating func begin(_ seat: Seat, at moment: Moment) {
        if !has(seat, at: moment) { stays[seat, default: []].append(Stay(from: moment)) }
    }

    private mutating func end(_ seat: Seat, at moment: Moment, known now: Moment) {
        stays[seat] = stays[seat]?.map {
            $0.includes(now) ? Stay(from: $0.from, until: moment) : $0
        }
    }

    /// Records whose context a task assigns.
    mutating func note(_ owner: PersonName, of task: TaskName) {
        for name in given.keys {
            guard let index = given[name]?.handout.tasks.firstIndex(where: { $0.name == task })
            else { continue }
            given[name]?.handout.tasks[index].owner = owner
        }
    }

    /// Whether what a task is about still exists.
    func has(_ task: Task) -> Bool {
        task.own.map { own[$0] != nil } ?? !withdrawn.contains(task.context)
    }

    private mutating func erase(_ person: PersonName) {
        stays = stays.filter { $0.key.person != person }
        for name in given.keys {
            guard case .chosen(let students) = given[name]?.handout.recipients else { continue }
            given[name]?.handout.recipients = .chosen(students.subtracting([person]))
        }
    }

    mutating func follow(_ event: Event) {
        switch event.deed {
        case .joins(let person, let role, let classroom):
            begin(Seat(person: person, role: role, classroom: classroom), at: event.at)
        case .leaves(let person, let role, let classroom):
            end(
                Seat(person: person, role: role, classroom: classroom), at: event.at,
                known: event.at)
        case .willJoin(let person, let role, let classroom, let moment):
            begin(Seat(person: person, role: role, classroom: classroom), at: moment)
        case .willLeave(let person, let role, let classroom, let moment):
            end(
                Seat(person: person, role: role, classroom: classroom), at: moment,
                known: event.at)
        case .archives(let classes):
            for classroom in classes where archivedAt[classroom] == nil {
                archivedAt[classroom] = event.at
            }
        case .revives(let classes): for classroom in classes { archivedAt[classroom] = nil }
        case .gives(let handout): given[handout.name] = Given(handout: handout)
        case .copies(let name, let copy, let classroom, let author):
            given[copy] = given[name].map {
                Given(handout: $0.handout.copied(as: copy, to: classroom, by: author))
            }
        case .publishes(let name, let moment): given[name]?.handout.publication = moment
        case .chooses(let name, let recipients): given[name]?.handout.recipients = recipients
        case .locks(let name): given[name]?.isLocked = true
        case .unlocks(let name): given[name]?.isLocked = false
        case .edits(let name, let removed, let added, _):
            given[name]?.handout.tasks.removeAll { removed.contains($0.name) }
            given[name]?.handout.tasks += added
        case .completes(let name): given[name]?.isCompleted = true
        case .deletes(let name): given[name]?.isDeleted = true
        case .switchesSchool(let isOn, _): isProgressOn = isOn
        case .switchesStudent(let student, true): pausedStudents.remove(student)
        case .switchesStudent(let student, false): pausedStudents.insert(student)
        case .withdraws(let context): withdrawn.insert(context)
        case .erases(let person): erase(person)
        case .saves(let context, let edition): own[context] = edition
        case .removes(let context): own[context] = nil
        case .opens, .marksDone, .givesBack, .takesBack, .reportsCompletion, .uploads, .launches:
            break
        }
    }
}
