import PrivacyRules

/// What somebody is to try at a moment.
struct Step: Sendable {
    let at: Moment
    /// Who tries it, where that is not told by the deed.
    let actor: PersonName?
    let deed: Deed

    var event: Event { Event(at: at, deed: deed) }
}

/// What is to happen in a random school. The same seed makes the same plan.
struct Plan: Sendable {
    let seed: UInt64
    /// Seats that are there from the start.
    var seats: [Deed] = []
    var steps: [Step] = []

    /// The last moment of all.
    var end: Moment { (steps.last?.at ?? 0) + 60 }

    /// - Parameter length: how many steps there are.
    init(seed: UInt64, length: Int = 70) {
        self.seed = seed
        var planner = Planner(seed: seed)
        seats = planner.seats()
        steps = (0..<length).map { planner.step($0) }
    }

    /// The same school with some of what happens.
    func keeping(_ steps: [Step]) -> Plan {
        var plan = self
        plan.steps = steps
        return plan
    }
}

/// Draws the steps of a plan. It knows what it planned, not what came of it: a step that makes no sense by then is
/// refused by the service, and then did not happen.
struct Planner {
    private var chance: Chance
    private var now: Moment = 0
    private var handouts: [Handout] = []
    private var parts: [Part] = []
    private var attempts: [PersonName: Int] = [:]
    private var editions = 0
    private var teachers: [ClassName: Set<PersonName>] = [:]
    private var students: [ClassName: Set<PersonName>] = [:]

    init(seed: UInt64) {
        chance = Chance(seed: seed)
    }

    mutating func seats() -> [Deed] {
        for classroom in Cast.classes {
            teachers[classroom] = Set(chance.some(of: Cast.teachers))
            students[classroom] = Set(chance.some(of: Cast.students))
        }
        return Cast.classes.flatMap { classroom in
            (teachers[classroom] ?? []).sorted().map { .joins($0, .teacher, classroom) }
                + (students[classroom] ?? []).sorted().map { .joins($0, .student, classroom) }
        }
    }

    mutating func step(_ number: Int) -> Step {
        now += 60 * (chance.happens(3) ? chance.number(24 * 25...24 * 40) : chance.number(1...3))
        // Student progress is off for a new school; nearly every plan begins by turning it on.
        if number == 0, chance.happens(90) {
            return step(Cast.administrator, .switchesSchool(isOn: true, deletes: false))
        }
        switch chance.number(1...100) {
        case 1...20: return give()
        case 21...54: return upload()
        case 55...69: return change()
        case 70...79: return note()
        case 80...92: return seat()
        case 93...94: return term()
        case 95...96: return switchStudent()
        case 97: return switchSchool()
        case 98: return step(nil, .withdraws(chance.one(of: Cast.contexts)))
        default: return upload()
        }
    }

    private func step(_ actor: PersonName?, _ deed: Deed) -> Step {
        Step(at: now, actor: actor, deed: deed)
    }

    // MARK: Handouts

    private mutating func give() -> Step {
        let world: World = chance.happens(88) ? .production : .development
        let name = HandoutName("H\(handouts.count + 1)")
        let contexts = Cast.contexts.filter { $0.world == world }
        let tasks = (1...chance.number(1...2)).map {
            Task(name: TaskName("\(name).\($0)"), context: chance.one(of: contexts))
        }
        let classroom = chance.one(of: Cast.classes)
        let handout = Handout(
            name: name, classroom: classroom, author: teacher(of: classroom), world: world,
            recipients: recipients(in: classroom), publication: publication(), tasks: tasks)
        handouts.append(handout)
        return step(handout.author, .gives(handout))
    }

    /// Mostly somebody who teaches the class.
    private mutating func teacher(of classroom: ClassName) -> PersonName {
        let teaching = (teachers[classroom] ?? []).sorted()
        return chance.one(of: teaching.isEmpty || chance.happens(10) ? Cast.teachers : teaching)
    }

    private mutating func recipients(in classroom: ClassName) -> Recipients {
        let sitting = (students[classroom] ?? []).sorted()
        return chance.happens(60) ? .wholeClass : .chosen(Set(chance.some(of: sitting)))
    }

    /// Now, some hours from now between two full hours, or not yet.
    private mutating func publication() -> Moment? {
        switch chance.number(1...10) {
        case 1...6: now
        case 7...8: now + 60 * chance.number(1...10) + 55
        default: nil
        }
    }

    private mutating func change() -> Step {
        guard !handouts.isEmpty else { return give() }
        let handout = chance.one(of: handouts)
        let actor = chance.happens(40) ? handout.author : teacher(of: handout.classroom)
        switch chance.number(1...20) {
        case 1...6: return step(actor, .locks(handout.name))
        case 7...11: return step(actor, .unlocks(handout.name))
        case 12...15:
            return step(actor, .publishes(handout.name, at: publication() ?? now))
        case 16: return step(actor, .completes(handout.name))
        case 17...18:
            return step(
                actor, .chooses(handout.name, recipients(in: handout.classroom)))
        default: return step(actor, .deletes(handout.name))
        }
    }

    private mutating func note() -> Step {
        guard let handout = handouts.isEmpty ? nil : chance.one(of: handouts) else { return give() }
        let task = chance.one(of: handout.tasks)
        let student = chance.one(of: Cast.students)
        switch chance.number(1...10) {
        case 1...4: return step(student, .opens(task.name, student, chance.happens(80)))
        case 5...8: return step(student, .marksDone(task.name, student, chance.happens(80)))
        default: return step(student, .reportsCompletion(student, task.context))
        }
    }

    // MARK: The directory

    private mutating func seat() -> Step {
        let role: Role = chance.happens(50) ? .teacher : .student
        let person = chance.one(of: role == .teacher ? Cast.teachers : Cast.students)
        let classroom = chance.one(of: Cast.classes)
        guard chance.happens(50) else {
            if role == .teacher { teachers[classroom]?.insert(person) }
            if role == .student { students[classroom]?.insert(person) }
            return step(Cast.administrator, .joins(person, role, classroom))
        }
        if role == .teacher { teachers[classroom]?.remove(person) }
        if role == .student { students[classroom]?.remove(person) }
        return step(Cast.administrator, .leaves(person, role, classroom))
    }

    private mutating func term() -> Step {
        step(
            Cast.administrator,
            chance.happens(60) ? .archives(Cast.classesOfTerm) : .revives(Cast.classesOfTerm))
    }

    private mutating func switchStudent() -> Step {
        step(
            Cast.administrator,
            .switchesStudent(chance.one(of: Cast.students), isOn: chance.happens(55)))
    }

    private mutating func switchSchool() -> Step {
        let isOn = chance.happens(60)
        return step(
            Cast.administrator, .switchesSchool(isOn: isOn, deletes: !isOn && chance.happens(50)))
    }

    // MARK: Uploads

    /// New attempts, and parts of former ones: later ones, older ones, the same once more.
    private mutating func upload() -> Step {
        var sent: [Part] = []
        for _ in 1...chance.number(1...3) {
            let isAgain = !parts.isEmpty && chance.happens(35)
            sent.append(isAgain ? more(of: chance.one(of: parts)) : attempt())
        }
        // One app uploads what one student did in it.
        let first = sent[0]
        sent = sent.filter {
            $0.activity.student == first.activity.student && $0.context.app == first.context.app
                && $0.context.world == first.context.world
        }
        parts += sent
        return step(first.activity.student, .uploads(sent))
    }

    private mutating func attempt() -> Part {
        // Mostly of what somebody assigned, so that it is not dropped for that alone.
        let assigned = handouts.flatMap(\.tasks).map(\.context)
        let context =
            assigned.isEmpty || chance.happens(15)
            ? chance.one(of: Cast.contexts + [Cast.unassignable]) : chance.one(of: assigned)
        let student = chance.one(of: chance.happens(4) ? Cast.teachers : Cast.students)
        let number = attempts[student, default: 0] + 1
        attempts[student] = number
        let ago = chance.happens(10) ? chance.number(24...24 * 35) : chance.number(1...12)
        return part(
            ActivityName(student: student, number: number), context,
            // No two attempts of a student begin in the same minute of an hour.
            start: now - 60 * ago + 10 + number % 40,
            hours: chance.happens(20) ? nil : chance.number(0...ago))
    }

    private mutating func more(of part: Part) -> Part {
        if chance.happens(30) { return part }
        let hours = (now - part.start) / 60
        return self.part(
            part.activity, part.context, start: part.start,
            hours: chance.happens(20) ? nil : chance.number(0...max(0, hours)))
    }

    /// - Parameter hours: how long the attempt went on; `nil`: it still does.
    private mutating func part(
        _ activity: ActivityName, _ context: Context, start: Moment, hours: Int?
    ) -> Part {
        editions += 1
        return Part(
            activity: activity, context: context, start: start,
            stop: hours.map { start + 60 * $0 + 1 }, progress: chance.number(1...100),
            seconds: chance.number(1...900_000), edition: editions)
    }
}
