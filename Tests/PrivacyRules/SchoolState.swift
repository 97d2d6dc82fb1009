/// How a school stands at a moment, as far as the rules ask.
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
    }

    private(set) var seats: Set<Seat> = []
    /// When each archived class was archived.
    private(set) var archivedAt: [ClassName: Moment] = [:]
    private(set) var given: [HandoutName: Given] = [:]
    /// Of a new school it is off.
    private(set) var isProgressOn = false
    private(set) var pausedStudents: Set<PersonName> = []
    private(set) var withdrawn: Set<Context> = []

    func sits(_ student: PersonName, in classroom: ClassName) -> Bool {
        seats.contains(Seat(person: student, role: .student, classroom: classroom))
    }

    func teaches(_ teacher: PersonName, _ classroom: ClassName) -> Bool {
        seats.contains(Seat(person: teacher, role: .teacher, classroom: classroom))
    }

    mutating func follow(_ event: Event) {
        switch event.deed {
        case .joins(let person, let role, let classroom):
            seats.insert(Seat(person: person, role: role, classroom: classroom))
        case .leaves(let person, let role, let classroom):
            seats.remove(Seat(person: person, role: role, classroom: classroom))
        case .archives(let classes):
            for classroom in classes where archivedAt[classroom] == nil {
                archivedAt[classroom] = event.at
            }
        case .revives(let classes): for classroom in classes { archivedAt[classroom] = nil }
        case .gives(let handout): given[handout.name] = Given(handout: handout)
        case .publishes(let name, let moment): given[name]?.handout.publication = moment
        case .chooses(let name, let recipients): given[name]?.handout.recipients = recipients
        case .locks(let name): given[name]?.isLocked = true
        case .unlocks(let name): given[name]?.isLocked = false
        case .completes(let name): given[name]?.isCompleted = true
        case .deletes(let name): given[name]?.isDeleted = true
        case .switchesSchool(let isOn, _): isProgressOn = isOn
        case .switchesStudent(let student, true): pausedStudents.remove(student)
        case .switchesStudent(let student, false): pausedStudents.insert(student)
        case .withdraws(let context): withdrawn.insert(context)
        case .opens, .marksDone, .reportsCompletion, .uploads: break
        }
    }
}
