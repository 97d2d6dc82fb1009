import HTTPWire
import JSONBytes
import Postgres
import PrivacyRules
import School
import TestKit
import Values

/// What takes more than one call, or none.
extension RandomSchool {
    /// Puts the handout as it is with other tasks, like a client that has just read it. If students are chosen only the
    /// tasks are sent, since some of them may have left.
    func edit(
        _ name: HandoutName, _ actor: PersonName?, without removed: [TaskName],
        with added: [Task], _ discards: Bool
    ) async throws -> Answer? {
        guard var handout = oracle.handout(name),
            let found = try await change(name, actor, .get, "")
        else { return nil }
        handout.tasks.removeAll { removed.contains($0.name) }
        handout.tasks += added
        let whole = body(handout)
        let isWhole = handout.recipients == .wholeClass
        return try await change(
            name, actor, isWhole ? .put : .patch, discards ? "?discardProgress=true" : "",
            isWhole ? whole : ["tasks": whole["tasks"] ?? nil],
            headers: found.header("ETag").map { [("If-Match", $0)] } ?? [])
    }

    /// - Parameter given: `nil` to take back what was given back.
    func giveBack(
        _ task: TaskName, _ student: PersonName, _ actor: PersonName?, _ given: GivenBack?
    ) async throws -> Answer? {
        guard let id = tasks[task] else { return nil }
        let path = "/students/\(text(of: student))/tasks/\(id.uuid)/return"
        let body: JSONValue? = given.map {
            ["note": .text(mark.text($0.edition)), "tryAgain": .bool($0.isToTryAgain)]
        }
        return try await change(task.handout, actor, body == nil ? .delete : .put, path, body)
    }

    /// Every teacher tries to seat a person, or to end a seat, as in a class that teachers made.
    ///
    /// - Returns: the answer to the first who could; `nil` if everyone was refused.
    func seatAsTeachers(
        _ method: HTTPMethod, _ person: PersonName, _ role: Role, _ classroom: ClassName
    ) async throws -> Answer? {
        let id = classes[classroom]?.uuid.description ?? ""
        let path = "/v1/me/classes/\(id)/\(role.rawValue)s/\(text(of: person))"
        for teacher in Cast.teachers {
            let answer = try await ask(method, path, token(teacher))
            guard (200..<300).contains(answer.status) else { continue }
            let isMade = classroom == Cast.madeClass
            if !oracle.maySeat(in: classroom, teacher, ifMadeByTeachers: isMade) {
                findings.append("\(teacher) was not refused: \(method.name) \(path)")
            }
            return answer
        }
        return nil
    }

    // MARK: Bypassing every call

    /// As a roster with dates would, to the minute.
    func willJoin(
        _ person: PersonName, _ role: Role, _ classroom: ClassName, at moment: Moment
    ) throws -> Answer? {
        let seats = try service.sql(
            """
            insert into school.seat (organization_id, class_id, person_id, role, joined_at)
            select \(organization), \(classes[classroom]?.uuid), \(people[person]?.uuid), \(role.rawValue),
                   \(timestamp(moment))
             where not exists (select from school.seat
                                where organization_id = \(organization) and left_at is null
                                  and class_id = \(classes[classroom]?.uuid) and role = \(role.rawValue)
                                  and person_id = \(people[person]?.uuid))
               and exists (select from school.person where person_id = \(people[person]?.uuid))
            returning 1
            """)
        return seats.isEmpty ? nil : Answer(status: 204, headers: [], body: [])
    }

    func willLeave(
        _ person: PersonName, _ role: Role, _ classroom: ClassName, at moment: Moment
    ) throws -> Answer? {
        let seats = try service.sql(
            """
            update school.seat set left_at = \(timestamp(moment))
             where organization_id = \(organization) and left_at is null and joined_at <= now()
               and class_id = \(classes[classroom]?.uuid) and role = \(role.rawValue)
               and person_id = \(people[person]?.uuid)
            returning 1
            """)
        return seats.isEmpty ? nil : Answer(status: 204, headers: [], body: [])
    }

    /// As the developer would; no person can withdraw a context by a call.
    func withdraw(_ context: Context) throws -> Answer {
        try service.sql(
            """
            update school.context set deleted_at = coalesce(deleted_at, school.moment())
             where organization_id = \(organization) and bundle_id = \(context.app) and kind = 'catalog'
               and environment = \(context.world.rawValue) and identifier_path = \(context.path)
            """)
        return Answer(status: 204, headers: [], body: [])
    }
}
