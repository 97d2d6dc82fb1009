/// The columns of the tables, under the names of the documents' fields.
extension Array where Element == ReportTable.Column {
    static let handout: Self =
        handoutNames + task(in: .list(0)) + person(in: .list(1))
        + members(cell + ["progressOff"], in: .list(1))
        + members(returned, of: "returned", in: .list(1))
        + members(item, of: "primaryItem", in: .list(1))
        + members(["points", "maximum"], of: "mark", in: .list(1))
        + members(["points", "maximum"], of: "handoutMark", in: .list(1))
        + members(average, of: "classAverage", in: .list(0))

    static let items: Self =
        handoutNames + members(["title"], of: "task", in: .head)
        + members(
            [
                "identifier", "title", "kind", "mixedKinds", "isPrimary", "studentsWithItem",
                "studentsMissed", "missedShare",
            ], in: .list(0))
        + members(["score", "quantity", "positiveShare"], of: "classAverage", in: .list(0))
        + person(in: .list(1)) + members(["missed"], in: .list(1))
        + members(item, of: "item", in: .list(1))

    static let taught: Self = className + tasks

    private static let tasks: Self =
        handoutMembers([]) + task(in: .list(1))
        + members(
            [
                "students", "studentsOpened", "studentsDone", "studentsLate", "studentsOverdue",
                "studentsReturned",
            ],
            in: .list(1))
        + members(average, of: "classAverage", in: .list(1))

    static let student: Self =
        person(of: "student", in: .head) + handoutMembers(["classId", "className"])
        + members(["taskId"], in: .list(1)) + [.named("taskTitle", "title", in: .list(1))]
        + members(cell, in: .list(1)) + members(returned, of: "returned", in: .list(1))
        + members(item, of: "primaryItem", in: .list(1))

    /// Apps in which a class works.
    static let apps: Self =
        className + members(["bundleId", "name"], in: .list(0))
        + members(
            ["handouts", "tasks", "attempts", "durationSeconds", "studentsWithData"], in: .list(0))

    /// The tasks in an app.
    static let appReport: Self = appNames + tasks

    /// The students in an app.
    static let appStudents: Self =
        appNames + person(in: .list(0))
        + members(
            [
                "tasks", "tasksOpened", "tasksDone", "tasksLate", "tasksOverdue", "tasksWithData",
                "attempts",
                "progress", "durationSeconds", "score", "positiveShare", "progressOff",
            ], in: .list(0))

    private static let className: Self = [.named("className", "class", in: .names)]
    private static let appNames: Self =
        className + [
            .named("bundleId", "bundleId", of: "app", in: .head),
            .named("appName", "name", of: "app", in: .head),
        ]

    private static let cell = [
        "openedAt", "doneAt", "attempts", "progress", "durationSeconds", "late", "beforeJoined",
    ]
    private static let returned = ["at", "note", "tryAgain"]
    private static let item = [
        "kind", "identifier", "title", "score", "maxScore", "quantity", "value", "valueType",
    ]
    private static let average = [
        "progress", "durationSeconds", "score", "quantity", "positiveShare", "studentsWithData",
    ]

    private static let handoutNames: Self = [
        .named("className", "class", in: .names), .named("handoutTitle", "handout", in: .names),
    ]

    private static func task(in level: Element.Level) -> Self {
        members(["taskId"], in: level) + [.named("taskTitle", "title", in: level)]
            + members(["primaryKind", "mixedPrimaryKinds"], in: level)
    }

    private static func handoutMembers(_ more: [String]) -> Self {
        members(["handoutId"], in: .list(0)) + [.named("handoutTitle", "title", in: .list(0))]
            + members(more + ["publishAt", "dueAt", "lockedAt", "completedAt"], in: .list(0))
    }

    private static func person(of holder: String? = nil, in level: Element.Level) -> Self {
        [.named("personId", "personId", of: holder, in: level)]
            + members(["sourceId", "managedId"], in: .names)
            + ["givenName", "familyName", "nameOrder"].map { .named($0, $0, of: holder, in: level) }
    }

    /// Members each under its own name or, in a nested object, prefixed with that object's name: `primaryItemScore`.
    private static func members(
        _ members: [String], of holder: String? = nil, in level: Element.Level
    ) -> Self {
        members.map { member in
            let joined = holder.map { $0 + member.prefix(1).uppercased() + member.dropFirst() }
            return .named(joined ?? member, member, of: holder, in: level)
        }
    }
}

extension ReportTable.Column {
    fileprivate static func named(
        _ name: String, _ member: String, of holder: String? = nil, in level: Level
    ) -> Self {
        Self(name: name, level: level, holder: holder, member: member)
    }
}
