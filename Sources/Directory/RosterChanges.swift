import JSONBytes
import Postgres
import School
import Values

/// How many people a class of the organization may hold.
struct ClassSizes {
    let students: Int
    let teachers: Int

    init(_ row: Row) throws {
        students = try row.int("students")
        teachers = try row.int("teachers")
    }

    subscript(role: SeatRole) -> Int {
        switch role {
        case .student: students
        case .teacher: teachers
        }
    }
}

/// Who joined and who left which classes in one call, for the audit.
struct RosterChanges {
    private struct Roster: Hashable, Comparable {
        let id: UUID
        let role: String

        static func < (left: Roster, right: Roster) -> Bool {
            (left.id, left.role) < (right.id, right.role)
        }
    }

    private var joined: [Roster: [UUID]] = [:]
    private var left: [Roster: [UUID]] = [:]

    /// - Parameters: rows of `class_id`, `role` and `person_id`.
    init(left gone: Rows, joined new: [Rows]) throws {
        for row in gone {
            let roster = Roster(id: try row.uuid("class_id"), role: try row.text("role"))
            left[roster, default: []].append(try row.uuid("person_id"))
        }
        for row in new.joined() {
            let roster = Roster(id: try row.uuid("class_id"), role: try row.text("role"))
            joined[roster, default: []].append(try row.uuid("person_id"))
        }
    }

    /// Of which classes a roster changed.
    var classes: Set<UUID> { Set((Array(joined.keys) + Array(left.keys)).map(\.id)) }

    /// One event for each roster that changed.
    func events() -> [Statement] {
        Set(joined.keys).union(left.keys).sorted().map { roster in
            .auditRoster(
                of: ClassID(roster.id), roster.role, joined: joined[roster] ?? [],
                left: left[roster] ?? [])
        }
    }
}

extension Statement {
    /// Leaves the event of a roster that changed.
    static func auditRoster(
        of id: ClassID, _ role: String, joined: [UUID], left: [UUID]
    ) -> Statement {
        .audit(
            "rosterChange", subjectKind: "class", subject: id.uuid,
            details: [
                "role": .text(role), "joined": .array(joined.map { .text($0.description) }),
                "left": .array(left.map { .text($0.description) }),
            ])
    }
}
