import PrivacyRules
import RandomKit
import Values

/// Draws what happens with the tool of a school: apart from the rest of a plan, so that this does not alter it.
struct ToolPlanner {
    private static let handoutsMax = 4

    private var chance: SplitMix64
    private var teachers: [ClassName: [PersonName]] = [:]
    private var handouts: [Handout] = []
    private var editions = Cast.firstScore

    /// - Parameter seats: those that exist from the start.
    init(seed: UInt64, seats: [Deed]) {
        chance = SplitMix64(spreading: seed ^ 0x7001)
        for case .joins(let person, .teacher, let classroom) in seats {
            teachers[classroom, default: []].append(person)
        }
    }

    /// What is tried at a moment at which something else was: often nothing.
    mutating func steps(at now: Moment) -> [Step] {
        guard chance.happens(percent: 45) else { return [] }
        if handouts.isEmpty || handouts.count < Self.handoutsMax && chance.happens(percent: 20) {
            return [give(at: now)]
        }
        let handout = chance.choice(of: handouts)
        let person = chance.choice(of: Cast.students)
        let task = handout.tasks[0].name
        switch chance.number(1...20) {
        case 1...2:
            return [Step(at: now, actor: person, deed: .opens(task, person, true))]
        case 3...4:
            return [Step(at: now, actor: person, deed: .marksDone(task, person, true))]
        case 5...8:
            let who = chance.choice(of: Cast.learnersAndTeachers)
            return [Step(at: now, actor: who, deed: .launches(task, who))]
        case 9...12: return [change(handout, at: now)]
        default: return [score(handout.tasks[0].context, of: person, at: now)]
        }
    }

    private mutating func give(at now: Moment) -> Step {
        let name = HandoutName("L\(handouts.count + 1)")
        let classroom = chance.choice(of: Cast.classes)
        let task = TaskName("\(name).1")
        let context = Context(app: Cast.tool, world: .production, path: [task.text])
        let handout = Handout(
            name: name, classroom: classroom, author: teacher(of: classroom), world: .production,
            recipients: recipients(), publication: chance.happens(percent: 70) ? now : nil,
            tasks: [Task(name: task, context: context)])
        handouts.append(handout)
        return Step(at: now, actor: handout.author, deed: .gives(handout))
    }

    private mutating func change(_ handout: Handout, at now: Moment) -> Step {
        let deed: Deed =
            switch chance.number(1...10) {
            case 1...3: .publishes(handout.name, at: now)
            case 4...6: .chooses(handout.name, recipients())
            case 7: .locks(handout.name)
            case 8: .unlocks(handout.name)
            case 9: .completes(handout.name)
            default: .deletes(handout.name)
            }
        let actor =
            chance.happens(percent: 60) ? handout.author : teacher(of: handout.classroom)
        return Step(at: now, actor: actor, deed: deed)
    }

    private mutating func teacher(of classroom: ClassName) -> PersonName {
        chance.choice(of: teachers[classroom] ?? Cast.teachers)
    }

    private mutating func recipients() -> Recipients {
        chance.happens(percent: 60) ? .wholeClass : .chosen(Set(chance.some(of: Cast.students)))
    }

    /// An attempt of its own, which the tool reports once: begun some hours ago, in a minute in which no other one of the
    /// tool begins.
    private mutating func score(
        _ context: Context, of student: PersonName, at now: Moment
    ) -> Step {
        editions += 1
        let hours = chance.happens(percent: 10) ? chance.number(24...24 * 35) : chance.number(1...8)
        let start = now - 60 * hours + 10 + editions % 40
        let changed = start + 60 * chance.number(0...hours - 1) + 2
        let part = Part(
            activity: ActivityName(student: student, number: editions), context: context,
            start: start, stop: changed, progress: 100, seconds: 0, changed: changed * 60 + 1,
            edition: editions)
        return Step(at: now, actor: nil, deed: .uploads([part]))
    }
}
