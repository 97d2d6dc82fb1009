import API
import Postgres
import School
import Values

extension Directory {
    static let course = Column<CourseID?>("course_id")
    static let term = Column<TermID?>(
        "term_id", nil, "The smallest term that covers the time of the class. It must be open.")

    /// Groups of students with their teachers. Answers contain the current rosters or, for an archived class, the
    /// rosters at the time it was archived.
    static let classes = Resource<ClassEntity>(
        .init("class", "classes", at: "/v1/classes"),
        columns: [
            Column<String>("name", .line()), Column<String?>.sourceID,
            Column<String?>("number", .line()), Column<String?>("display_name", .line()),
            Column<String?>("room", .line()), location, course, term,
        ],
        extras: [
            .optional(
                "teacherIds", .array(.reference, count: 0...5000),
                "The teachers. A PUT without this field keeps them."),
            .optional(
                "studentIds", .array(.reference, count: 0...5000),
                "The students. A PUT without this field keeps them."),
        ],
        computed: [
            Computed(
                "case when class.archived_at is null then 'active' else 'archived' end as status",
                .required("status", .word(["active", "archived"]))),
            roster("'teacher'", "teacher_ids"), roster("'student'", "student_ids"),
            Computed(
                "\(fragment: teachers) as teachers",
                .nullable(
                    "teachers", .array(classTeacher, count: 0...100_000),
                    "Who teaches the class and since when, and who taught it for less than a day in "
                        + "the last thirty days; absent from lists."), isAloneOnly: true),
        ],
        locked: ["class.archived_at"],
        reaches: [Reach(of: [.teacher], among: "school.my_taught_class_ids()")],
        filters: classFilters,
        rules: Rules {
            $0.before = checkMayChange
            $0.check = { draft, session, caller in
                let changesRosters = draft.roster(.teacher) != nil || draft.roster(.student) != nil
                if changesRosters, let present = draft.present { try checkOpen(present) }
                try await checkTerm(of: draft, session)
            }
            $0.complete = { draft, session, caller in
                for role in SeatRole.allCases {
                    guard let people = draft.roster(role) else { continue }
                    try await replaceRoster(of: draft.id, role, by: people, session, caller)
                }
            }
            // Its seats go with it: the class had no handouts, so no report counts them.
            $0.removed = Rules.auditRemoval
            $0.dependents = { id, _ in
                "select handouts as \"handouts\" from school.hanging_on_class(\(id))"
            }
            $0.remove = { id, _ in "select school.delete_class(\(id))" }
            $0.batch.check = checkClasses
            $0.batch.complete = putRosters
        })

    var classEndpoints: [Endpoint] {
        Self.classes.endpoints(
            database, readers: Self.readersAndTeachers, writers: Self.classWriters,
            ResourceTexts(
                summaries: [
                    .list: "List classes; teachers get those they teach",
                    .create: "Create a class, with its teachers and students",
                    .remove: "Remove a class without handouts, and its roster",
                ],
                descriptions: [
                    .replace:
                        "Fields that the body leaves out go back to their defaults, except the teachers and the students, "
                        + "who stay. A new `source:ID` creates the record; an unknown id is 404.",
                    .remove:
                        "A class that has had a handout stays, because of its reports: close its term to archive it.",
                    .batch:
                        "Fields that an item leaves out go back to their defaults, except the teachers and the students, "
                        + "who stay. Repeating a batch changes nothing.",
                ],
                creating: [
                    (
                        409,
                        "Another record has this sourceId, the term is closed, or the class is full."
                    )
                ],
                changing: [(409, "The term is closed, or the class is archived or full.")]))
    }
}

// MARK: Rules

extension Directory {
    /// Explains to a manager what the policies of class and seat would only hide: a manager may not change classes
    /// that an import brought.
    @Sendable static func checkMayChange(
        _ request: Request, _ caller: Caller, _ database: Database
    ) async throws {
        guard caller.standing == .manager else { return }
        let reference: Reference<ClassEntity> = try request.reference("id")
        let rows = try await database.query(
            .origin(of: reference, of: caller.organizationID), as: caller)
        guard try rows.count == 0 || rows[0].text("origin") == "manual" else {
            throw Problem.classImported
        }
    }

    /// A term has to be open, unless the class is already in it.
    private static func checkTerm(of draft: Draft<ClassEntity>, _ session: Session) async throws {
        guard let id = draft[term], try draft.present.map(term.read) != id else { return }
        let closed = try await session.query(.closedTerms(among: [id]))
        guard closed.count == 0 else { throw Problem.termClosed }
    }

    /// Refuses changes to the rosters of an archived class.
    static func checkOpen(_ found: Row) throws {
        if try found.optionalTimestamp("archived_at") != nil { throw Problem.classArchived }
    }
}

extension Draft<ClassEntity> {
    /// The people that the body names; `nil` keeps the current ones.
    func roster(_ role: SeatRole) -> Referring<PersonEntity>? {
        body.texts("\(role.rawValue)Ids").map { Referring($0, at: role.pointer) }
    }
}

extension SeatRole {
    /// The field of a class that contains the roster.
    var pointer: String { "/\(rawValue)Ids" }
}

extension Statement {
    /// Whether an import brought a class: its `origin`.
    fileprivate static func origin(
        of reference: Reference<ClassEntity>, of organization: OrganizationID
    ) -> Statement {
        """
        select origin from school.class
         where organization_id = \(organization) and \(fragment: reference.names("class"))
        """
    }
}
