/// The columns of the tables, under the names of the documents' fields.
extension Array where Element == ReportTable.Column {
    static let handout: Self =
        named(level: 1) + task(level: 0) + .members(person + cell + ["progressOff"], level: 1)
        + .members(returned, of: "returned", level: 1)
        + .members(item, of: "primaryItem", level: 1)
        + .members(average, of: "classAverage", level: 0)

    static let items: Self =
        named(level: 1) + [Element(name: "taskTitle", level: 1, path: ["task", "title"])]
        + .members(
            [
                "identifier", "title", "kind", "mixedKinds", "isPrimary", "studentsWithItem",
                "studentsMissed", "missedShare",
            ], level: 0)
        + .members(["score", "quantity", "positiveShare"], of: "classAverage", level: 0)
        + .members(person + ["missed"], level: 1)
        + .members(item, of: "item", level: 1)

    static let taught: Self =
        [Element(name: "className", level: 1, path: ["class"])] + handoutMembers([])
        + task(level: 1)
        + .members(
            ["students", "studentsOpened", "studentsDone", "studentsLate", "studentsReturned"],
            level: 1)
        + .members(average, of: "classAverage", level: 1)

    static let student: Self =
        .members(person, level: 1)
        + handoutMembers(["classId", "className"]) + .members(["taskId"], level: 1)
        + [.title(of: "task", level: 1)] + .members(cell, level: 1)
        + .members(returned, of: "returned", level: 1)
        + .members(item, of: "primaryItem", level: 1)

    private static let person = ["personId", "sourceId", "managedId", "givenName", "familyName"]
    private static let cell = [
        "openedAt", "doneAt", "attempts", "progress", "durationSeconds", "late",
    ]
    private static let returned = ["at", "note", "tryAgain"]
    private static let item = [
        "kind", "identifier", "title", "score", "maxScore", "quantity", "value", "valueType",
    ]
    private static let average = [
        "progress", "durationSeconds", "score", "quantity", "positiveShare", "studentsWithData",
    ]

    /// What a handout's table repeats in each line.
    private static func named(level: Int) -> Self {
        [
            Element(name: "className", level: level, path: ["class"]),
            Element(name: "handoutTitle", level: level, path: ["handout"]),
        ]
    }

    private static func task(level: Int) -> Self {
        .members(["taskId"], level: level) + [.title(of: "task", level: level)]
            + .members(["primaryKind", "mixedPrimaryKinds"], level: level)
    }

    private static func handoutMembers(_ more: [String]) -> Self {
        .members(["handoutId"], level: 0) + [.title(of: "handout", level: 0)]
            + .members(more + ["publishAt", "dueAt", "lockedAt", "completedAt"], level: 0)
    }

    /// Members of the objects of a level, each under its own name or, in an object that is a member itself,
    /// behind that one's name: `primaryItemScore`.
    private static func members(
        _ names: [String], of holder: String? = nil, level: Int
    ) -> Self {
        names.map { name in
            guard let holder else { return Element(name: name, level: level, path: [name]) }
            let joined = holder + name.prefix(1).uppercased() + name.dropFirst()
            return Element(name: joined, level: level, path: [holder, name])
        }
    }
}

extension ReportTable.Column {
    fileprivate static func title(of thing: String, level: Int) -> Self {
        Self(name: thing + "Title", level: level, path: ["title"])
    }
}
