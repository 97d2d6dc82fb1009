import JSONBytes
import Values

/// Work that another system of the demonstration school grades: its markbook.
struct MarkedWork: Sendable {
    /// What the markbook calls it, within a class.
    let id: String
    let title: String
    /// The id of one of `categories`.
    let category: String
    /// How many days before today the class got it.
    let assignedDaysAgo: Int
    /// How many days before today it was due; a negative number means that it is not graded yet.
    let dueDaysAgo: Int
    let scoreMax: Int

    static let categories = [
        (id: "classwork", title: "Class work", weight: 1), (id: "tests", title: "Tests", weight: 2),
    ]

    static func all(in subject: DemonstrationSchool.Subject) -> [MarkedWork] {
        switch subject {
        case .mathematics:
            [
                MarkedWork("mental-arithmetic", "Mental arithmetic", days: 22, 22, of: 20),
                MarkedWork("exercise-book", "Exercise book", days: 30, 12, of: 10),
                MarkedWork("fractions", "Test: fractions", "tests", days: 11, 11, of: 30),
            ]
        case .science:
            [
                MarkedWork("laboratory", "Safety in the laboratory", days: 26, 21, of: 20),
                MarkedWork("mixtures", "Lab report: separating mixtures", days: 16, 9, of: 50),
                MarkedWork("matter", "Test: states of matter", "tests", days: 6, 6, of: 40),
                MarkedWork("water", "Test: the water cycle", "tests", days: 2, -5, of: 40),
            ]
        case .computing:
            [
                MarkedWork("poster", "Poster: how a loop works", days: 19, 12, of: 25),
                MarkedWork("commands", "Test: commands", "tests", days: 8, 8, of: 20),
            ]
        }
    }

    private init(
        _ id: String, _ title: String, _ category: String = "classwork", days assigned: Int,
        _ due: Int, of scoreMax: Int
    ) {
        self.id = id
        self.title = title
        self.category = category
        assignedDaysAgo = assigned
        dueDaysAgo = due
        self.scoreMax = scoreMax
    }

    /// The line item of OneRoster.
    func document(in classID: String, today: Day) -> JSONValue {
        [
            "title": .text(title), "class": ["sourcedId": .text(classID)],
            "category": ["sourcedId": .text(category)],
            "assignDate": .text(day(assignedDaysAgo, before: today)),
            "dueDate": .text(day(dueDaysAgo, before: today)),
            "resultValueMin": 0, "resultValueMax": .number(JSONNumber(Int64(scoreMax))),
        ]
    }

    /// Graded a day after it was due.
    func scoredOn(today: Day) -> String { day(max(dueDaysAgo - 1, 0), before: today) }

    private func day(_ days: Int, before today: Day) -> String {
        Day(daysSince1970: today.daysSince1970 - days).description
    }
}

/// How the markbook grades one student in one subject: made up, but the same every time.
struct Marking: Sendable {
    private var random: SplitMix64
    private let studentID: String
    /// The same as in the homework.
    private let ability: Double

    init(of student: DemonstrationSchool.Person, in subject: DemonstrationSchool.Subject) {
        let number = UInt64(student.id.dropFirst(2)) ?? 0
        var own = SplitMix64(seed: 40_000 + number)
        ability = 0.45 + 0.5 * own.share()
        random = SplitMix64(seed: 120_000 + 8 * number + UInt64(subject.rawValue.utf8.count))
        studentID = student.id
    }

    /// The result of OneRoster; `lineItem` is what the markbook calls the work of the class.
    mutating func result(of work: MarkedWork, lineItem: String, today: Day) -> JSONValue {
        var members: [(String, JSONValue)] = [
            ("lineItem", ["sourcedId": .text(lineItem)]),
            ("student", ["sourcedId": .text(studentID)]),
            ("scoreDate", .text(work.scoredOn(today: today))),
        ]
        let chance = random.share()
        let share = min(1, max(0.1, ability + 0.4 * (random.share() - 0.4)))
        if chance < 0.04 {
            members += [("scoreStatus", "exempt"), ("comment", "Was ill, and need not repeat it.")]
        } else if chance < 0.1 {
            members += [("scoreStatus", "not submitted"), ("missing", "true")]
        } else {
            let score = (2 * share * Double(work.scoreMax)).rounded() / 2
            members += [("scoreStatus", "fully graded"), ("score", JSONValue(floatLiteral: score))]
            if chance < 0.18 { members.append(("late", "true")) }
            if share > 0.93 { members.append(("comment", "Clear and complete. Well done!")) }
            if share < 0.5 { members.append(("comment", "Let us go through this together.")) }
        }
        return .object(JSONObject(members))
    }
}
