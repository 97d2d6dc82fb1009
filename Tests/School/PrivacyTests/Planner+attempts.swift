import PrivacyRules
import RandomKit
import Values

/// What students do in apps, and what apps report of it: late, twice and out of order.
extension Planner {
    /// New attempts, and parts of former ones: later ones, older ones, the same once more.
    ///
    /// - Parameter turn: the event that they happen just before, just after or during; `nil` for any time.
    mutating func upload(near turn: Turn?) -> Step {
        var sent: [Part] = []
        for _ in 1...chance.number(1...3) {
            let isAgain = !parts.isEmpty && chance.happens(percent: 35)
            sent.append(isAgain ? again(near: turn) : attempt(near: turn))
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

    // MARK: New ones

    private mutating func attempt(near turn: Turn?) -> Part {
        guard let turn else { return attempt() }
        let student = chance.choice(of: chance.happens(percent: 85) ? turn.people : Cast.students)
        let number = number(of: student)
        let context = context(like: chance.choice(of: turn.contexts))
        // Within the hour before, before everything else that happens in it, or after it happened.
        let hour = turn.at / 60 * 60
        let before = hour - 60 + 10 + number % 40
        let after = hour + (turn.at == hour ? 0 : 60) + 10 + number % 40
        let name = ActivityName(student: student, number: number)
        switch chance.number(1...10) {
        case 1...5 where after < now:
            return part(name, context, start: after, hours: chance.happens(percent: 70) ? 0 : nil)
        case 1...8: return part(name, context, start: before, hours: 0)
        default:
            return part(
                name, context, start: before,
                hours: chance.happens(percent: 70) ? chance.number(1...4) : nil
            )
        }
    }

    private mutating func attempt() -> Part {
        // Mostly something that is assigned, so that it is not dropped for that alone.
        let assigned = contexts()
        let context =
            assigned.isEmpty || chance.happens(percent: 15)
            ? chance.choice(of: Cast.contexts + [Cast.unassignable]) : chance.choice(of: assigned)
        let student = chance.choice(of: chance.happens(percent: 4) ? Cast.teachers : Cast.students)
        let number = number(of: student)
        let ago = chance.happens(percent: 10) ? chance.number(24...24 * 35) : chance.number(1...12)
        return part(
            ActivityName(student: student, number: number), context,
            // No two attempts of a student begin in the same minute of an hour.
            start: now - 60 * ago + 10 + number % 40,
            hours: chance.happens(percent: 20) ? nil : chance.number(0...ago))
    }

    private mutating func number(of student: PersonName) -> Int {
        attempts[student, default: 0] += 1
        return attempts[student, default: 0]
    }

    /// A context, now and then the one with the same path in the other world or in another app.
    private mutating func context(like context: Context) -> Context {
        let twins = Cast.contexts.filter { $0.path == context.path && $0 != context }
        return twins.isEmpty || chance.happens(percent: 85) ? context : chance.choice(of: twins)
    }

    // MARK: Once more

    /// Mostly one of an attempt that the turn may concern.
    private mutating func again(near turn: Turn?) -> Part {
        let near = parts.filter { part in
            turn.map {
                $0.contexts.contains(part.context) && $0.people.contains(part.activity.student)
            } ?? false
        }
        return more(
            of: chance.choice(of: near.isEmpty || chance.happens(percent: 20) ? parts : near))
    }

    private mutating func more(of part: Part) -> Part {
        if chance.happens(percent: 25) { return part }
        let hours = (now - part.start) / 60
        return self.part(
            part.activity, part.context, start: part.start,
            hours: chance.happens(percent: 35) ? nil : chance.number(0...max(0, hours)))
    }

    /// - Parameter hours: how long the attempt lasted; `nil` if it is still going on.
    private mutating func part(
        _ activity: ActivityName, _ context: Context, start: Moment, hours: Int?
    ) -> Part {
        editions += 1
        return Part(
            activity: activity, context: context, start: start,
            stop: hours.map { start + 60 * $0 + 1 }, progress: chance.number(1...100),
            seconds: chance.number(1...900_000),
            changed: changed(activity, start: start, hours: hours), edition: editions)
    }

    /// When a part was changed: some hours and two minutes after the attempt began, mostly when it stopped; parts of an
    /// attempt are some seconds apart.
    private mutating func changed(_ activity: ActivityName, start: Moment, hours: Int?) -> Int {
        let longest = max(0, (now - start - 3) / 60)
        let isAtEnd = changes.happens(percent: 50)
        let hour = isAtEnd ? min(hours ?? longest, longest) : changes.number(0...longest)
        partCounts[activity, default: 0] += 1
        return (start + 60 * hour + 2) * 60 + partCounts[activity, default: 0]
    }
}
