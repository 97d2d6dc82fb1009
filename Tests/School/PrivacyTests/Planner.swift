import PrivacyRules
import RandomKit
import Values

/// Draws the steps of a plan. It knows what it planned, not what came of it: a step that makes no sense when its time
/// comes is refused by the service, and then did not happen.
struct Planner {
    var chance: SplitMix64
    var now: Moment = 0
    var handouts: [Handout] = []
    var teachers: [ClassName: Set<PersonName>] = [:]
    var students: [ClassName: Set<PersonName>] = [:]
    /// What opened or closed something, in the order of planning.
    var turns: [Turn] = []
    var parts: [Part] = []
    var attempts: [PersonName: Int] = [:]
    var editions = 0
    /// Draws when parts were changed: separately, so that this does not alter the rest of the plan.
    var changes: SplitMix64
    var partCounts: [ActivityName: Int] = [:]
    /// Seats that begin or end later, and when.
    var dated: [Seat: Moment] = [:]
    /// What apps save for teachers.
    var saved: [OwnContext] = []
    private var isProgressOn = false
    /// What comes next, whatever the dice say.
    var next: Deed?
    /// What the next upload aims at.
    private var aim: Turn?
    /// Whether locks and archives end soon, recipients change often, and an upload follows each change.
    let isThorough: Bool
    /// Ends what was begun.
    var ending: ((inout Planner) -> Step)?

    /// A moment from which some people's attempts at some contexts may count, or no longer do.
    struct Turn {
        let at: Moment
        let contexts: [Context]
        let people: [PersonName]
    }

    struct Seat: Hashable {
        let person: PersonName
        let role: Role
        let classroom: ClassName
    }

    init(seed: UInt64, isThorough: Bool) {
        chance = SplitMix64(spreading: seed)
        changes = SplitMix64(spreading: seed ^ 0x5EED)
        self.isThorough = isThorough
    }

    mutating func seats() -> [Deed] {
        for classroom in Cast.classes {
            teachers[classroom] = Set(chance.some(of: Cast.teachers))
            students[classroom] = Set(chance.some(of: Cast.students))
                .subtracting(teachers[classroom] ?? [])
        }
        return Cast.classes.flatMap { classroom in
            (teachers[classroom] ?? []).sorted().map { .joins($0, .teacher, classroom) }
                + (students[classroom] ?? []).sorted().map { .joins($0, .student, classroom) }
        }
    }

    mutating func step(_ number: Int) -> Step {
        now +=
            60
            * (chance.happens(percent: 3) ? chance.number(24 * 25...24 * 40) : chance.number(1...3))
        // Student progress is off for a new school; nearly every plan begins by turning it on.
        if number == 0
            ? chance.happens(percent: 90)
            : number > 5 && !isProgressOn && chance.happens(percent: 40)
        {
            return switchSchool(isOn: true)
        }
        if let deed = next {
            next = nil
            return step(Cast.administrator, deed)
        }
        // Work done just before and after a change reveals most about it.
        if let turn = aim, isThorough || chance.happens(percent: 60) {
            aim = nil
            return upload(near: turn)
        }
        if let ending {
            self.ending = nil
            return ending(&self)
        }
        switch chance.number(1...100) {
        case 76...83 where isThorough: return term()
        case 1...18: return give()
        case 19...46: return upload(near: turn())
        case 47...66: return change()
        case 67...75: return note()
        case 76...87: return seat()
        case 88: return save()
        case 89...92: return term()
        case 93...95: return switchStudent()
        case 96: return switchSchool(isOn: chance.happens(percent: 40))
        case 97: return withdraw()
        case 98:
            return chance.happens(percent: 20)
                ? step(Cast.administrator, .erases(Cast.erasable)) : give()
        case 99: return save()
        default: return upload(near: nil)
        }
    }

    func step(_ actor: PersonName?, _ deed: Deed) -> Step {
        Step(at: now, actor: actor, deed: deed)
    }

    /// Remembers that something changes at a moment.
    mutating func turn(
        at moment: Moment, _ contexts: [Context], _ people: some Sequence<PersonName>
    ) {
        let people = people.sorted()
        guard !contexts.isEmpty, !people.isEmpty else { return }
        let turn = Turn(at: moment, contexts: contexts, people: people)
        turns.append(turn)
        if moment <= now { aim = turn }
    }

    /// One that is over by now, mostly one of the latest.
    private mutating func turn() -> Turn? {
        let past = turns.filter { $0.at <= now }
        guard !past.isEmpty else { return nil }
        return chance.choice(of: chance.happens(percent: 70) ? past.suffix(12) : past)
    }

    /// What is assigned in a class, or anywhere.
    func contexts(in classes: [ClassName] = Cast.classes) -> [Context] {
        handouts.filter { classes.contains($0.classroom) }.flatMap(\.tasks).map(\.context)
    }

    // MARK: Switches

    private mutating func switchStudent() -> Step {
        let student = chance.choice(of: Cast.students)
        turn(at: now, contexts(), [student])
        return step(
            Cast.administrator, .switchesStudent(student, isOn: chance.happens(percent: 60)))
    }

    private mutating func switchSchool(isOn: Bool) -> Step {
        isProgressOn = isOn
        turn(at: now, contexts(), Cast.students)
        return step(
            Cast.administrator,
            .switchesSchool(isOn: isOn, deletes: !isOn && chance.happens(percent: 50)))
    }

    /// An app saves a context for a teacher, once, or removes it for good.
    private mutating func save() -> Step {
        if !saved.isEmpty, chance.happens(percent: 30) {
            let own = chance.choice(of: saved)
            turn(at: now, [own.context], Cast.students)
            return step(own.owner, .removes(own))
        }
        let context = chance.choice(of: Cast.ownContexts + [Cast.ownContexts[0]])
        let own = OwnContext(owner: chance.choice(of: Cast.teachers), context: context)
        guard !saved.contains(own) else { return upload(near: nil) }
        saved.append(own)
        editions += 1
        return step(own.owner, .saves(own, edition: editions))
    }

    private mutating func withdraw() -> Step {
        let assigned = contexts()
        let context = chance.choice(of: assigned.isEmpty ? Cast.contexts : assigned)
        turn(at: now, [context], Cast.students)
        return step(nil, .withdraws(context))
    }
}
