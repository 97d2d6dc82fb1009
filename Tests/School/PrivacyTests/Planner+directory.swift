import PrivacyRules
import RandomKit
import Values

/// Who learns in classes and teaches them, and when classes are archived.
extension Planner {
    mutating func seat() -> Step {
        let role: Role = chance.happens(percent: 45) ? .teacher : .student
        let classroom = chance.choice(of: Cast.classes)
        let sitting = (role == .teacher ? teachers : students)[classroom] ?? []
        let everybody = role == .teacher ? Cast.teachers : Cast.students
        let joins = chance.happens(percent: 50)
        // Mostly a person it concerns.
        let concerned = everybody.filter { sitting.contains($0) != joins }
        let person = chance.choice(
            of: concerned.isEmpty || chance.happens(percent: 10) ? everybody : concerned)
        let seat = Seat(person: person, role: role, classroom: classroom)
        // What becomes of a seat that begins or ends later, if it is changed before, is another matter.
        if let moment = dated[seat], moment > now { return upload(near: nil) }
        if chance.happens(percent: 25) { return date(seat, joins) }
        turn(at: now, contexts(in: [classroom]), [person])
        guard !joins else {
            if role == .teacher { teachers[classroom]?.insert(person) }
            if role == .student { students[classroom]?.insert(person) }
            return step(Cast.administrator, .joins(person, role, classroom))
        }
        if role == .teacher { teachers[classroom]?.remove(person) }
        if role == .student { students[classroom]?.remove(person) }
        return step(Cast.administrator, .leaves(person, role, classroom))
    }

    /// Says from when, or until when, a person will have a seat: some hours from now, between two full hours.
    private mutating func date(_ seat: Seat, _ joins: Bool) -> Step {
        let moment = now + 60 * chance.number(1...24) + 35
        dated[seat] = moment
        turn(at: moment, contexts(in: [seat.classroom]), [seat.person])
        if seat.role == .student { students[seat.classroom]?.insert(seat.person) }
        if seat.role == .teacher { teachers[seat.classroom]?.insert(seat.person) }
        return step(
            Cast.administrator,
            joins
                ? .willJoin(seat.person, seat.role, seat.classroom, at: moment)
                : .willLeave(seat.person, seat.role, seat.classroom, at: moment))
    }

    private mutating func revive() -> Step {
        turnTerm()
        return step(Cast.administrator, .revives(Cast.classesOfTerm))
    }

    private mutating func turnTerm() {
        turn(
            at: now, contexts(in: Cast.classesOfTerm),
            Cast.classesOfTerm.flatMap { students[$0] ?? [] })
    }

    mutating func term() -> Step {
        guard chance.happens(percent: 50) else { return revive() }
        turnTerm()
        if isThorough { ending = { $0.revive() } }
        let classroom = chance.choice(of: Cast.classesOfTerm)
        let teaching = (teachers[classroom] ?? []).sorted()
        guard chance.happens(percent: 50), !teaching.isEmpty else {
            return step(Cast.administrator, .archives(Cast.classesOfTerm))
        }
        // Nobody joins or leaves an archived class, unless that was settled before.
        next = .archives(Cast.classesOfTerm)
        let seat = Seat(
            person: chance.choice(of: teaching), role: .teacher, classroom: classroom)
        return date(seat, false)
    }
}
