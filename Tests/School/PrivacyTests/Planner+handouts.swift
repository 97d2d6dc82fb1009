import PrivacyRules
import RandomKit
import Values

/// What teachers give and change, and what students note about it.
extension Planner {
    mutating func give() -> Step {
        let world: World = chance.happens(percent: 88) ? .production : .development
        let name = HandoutName("H\(handouts.count + 1)")
        let contexts = Cast.contexts.filter { $0.world == world } + own(in: world)
        let tasks = (1...chance.number(1...2)).map {
            Task(name: TaskName("\(name).\($0)"), context: chance.choice(of: contexts))
        }
        let classroom = chance.choice(of: Cast.classes)
        let handout = Handout(
            name: name, classroom: classroom, author: teacher(of: classroom), world: world,
            recipients: recipients(in: classroom), publication: publication(), tasks: tasks)
        handouts.append(handout)
        if let moment = handout.publication { turn(at: moment, handout) }
        return step(handout.author, .gives(handout))
    }

    /// What apps saved for anyone, several times, so that it is assigned as often as the rest.
    private func own(in world: World) -> [Context] {
        let own = Cast.ownContexts.filter { context in
            context.world == world && saved.contains { $0.context == context }
        }
        return own + own
    }

    private mutating func turn(at moment: Moment, _ handout: Handout) {
        turn(at: moment, handout.tasks.map(\.context), students[handout.classroom] ?? [])
    }

    /// Mostly a teacher of the class.
    private mutating func teacher(of classroom: ClassName) -> PersonName {
        let teaching = (teachers[classroom] ?? []).sorted()
        return chance.choice(
            of: teaching.isEmpty || chance.happens(percent: 10) ? Cast.teachers : teaching)
    }

    /// - Parameter butClass: whether the recipients are to change.
    private mutating func recipients(
        in classroom: ClassName, butClass: Bool = false
    ) -> Recipients {
        let sitting = (students[classroom] ?? []).sorted()
        return !butClass && chance.happens(percent: 60)
            ? .wholeClass : .chosen(Set(chance.some(of: sitting)))
    }

    /// Now, some hours from now between two full hours, or not yet.
    private mutating func publication() -> Moment? {
        switch chance.number(1...10) {
        case 1...6: now
        case 7...8: now + 60 * chance.number(1...10) + 55
        default: nil
        }
    }

    mutating func change() -> Step {
        guard !handouts.isEmpty else { return give() }
        if chance.happens(percent: 15) { return edit() }
        if chance.happens(percent: 8) { return copy() }
        let index = chance.number(0...handouts.count - 1)
        let handout = handouts[index]
        let actor = chance.happens(percent: 40) ? handout.author : teacher(of: handout.classroom)
        switch isThorough ? chance.choice(of: [1, 13, 13]) : chance.number(1...20) {
        case 1...4:
            if isThorough { ending = { $0.change(handout, actor, .unlocks(handout.name)) } }
            return change(handout, actor, .locks(handout.name))
        case 5...8: return change(handout, actor, .unlocks(handout.name))
        case 9...11:
            let moment = publication() ?? now
            if moment > now { turn(at: moment, handout) }
            return change(handout, actor, .publishes(handout.name, at: moment))
        case 12: return change(handout, actor, .completes(handout.name))
        case 13...18:
            handouts[index].recipients = recipients(
                in: handout.classroom, butClass: handout.recipients == .wholeClass)
            return change(
                handout, actor, .chooses(handout.name, handouts[index].recipients))
        default: return change(handout, actor, .deletes(handout.name))
        }
    }

    private mutating func change(_ handout: Handout, _ actor: PersonName, _ deed: Deed) -> Step {
        turn(at: now, handout)
        return step(actor, deed)
    }

    private mutating func copy() -> Step {
        let handout = chance.choice(of: handouts)
        let classroom = chance.choice(of: Cast.classes)
        let copy = handout.copied(
            as: HandoutName("H\(handouts.count + 1)"), to: classroom, by: teacher(of: classroom))
        handouts.append(copy)
        return step(
            copy.author, .copies(handout.name, as: copy.name, to: classroom, by: copy.author))
    }

    /// Removes a task, adds one for another context, or both.
    private mutating func edit() -> Step {
        let index = chance.number(0...handouts.count - 1)
        let handout = handouts[index]
        let removed = chance.happens(percent: 60) ? [chance.choice(of: handout.tasks)] : []
        var added: [Task] = []
        // The same context once more would be the same task.
        let contexts = (Cast.contexts + own(in: handout.world)).filter { context in
            context.world == handout.world && !removed.contains { $0.context == context }
        }
        if removed.isEmpty || chance.happens(percent: 50) {
            let name = TaskName("\(handout.name).\(handout.tasks.count + 1)")
            added.append(Task(name: name, context: chance.choice(of: contexts)))
        }
        // Tasks removed by then stay here, too, for apps that still report something for them.
        handouts[index].tasks += added
        return change(
            handouts[index],
            chance.happens(percent: 40) ? handout.author : teacher(of: handout.classroom),
            .edits(
                handout.name, removes: removed.map(\.name), adds: added,
                discards: chance.happens(percent: 70)))
    }

    private mutating func giveBack(_ task: Task, of handout: Handout) -> Step {
        let student = chance.choice(
            of: (students[handout.classroom] ?? []).sorted() + [Cast.students[0]])
        let teacher = teacher(of: handout.classroom)
        if chance.happens(percent: 20) { return step(teacher, .takesBack(task.name, student)) }
        editions += 1
        return step(
            teacher,
            .givesBack(
                task.name, student,
                GivenBack(edition: editions, isToTryAgain: chance.happens(percent: 40))))
    }

    mutating func note() -> Step {
        guard let handout = handouts.isEmpty ? nil : chance.choice(of: handouts) else {
            return give()
        }
        let task = chance.choice(of: handout.tasks)
        let student = chance.choice(of: Cast.students)
        switch chance.number(1...13) {
        case 11...13: return giveBack(task, of: handout)
        case 1...3: return step(student, .opens(task.name, student, chance.happens(percent: 80)))
        case 4...6:
            return step(student, .marksDone(task.name, student, chance.happens(percent: 80)))
        default: return step(student, .reportsCompletion(student, task.context))
        }
    }
}
