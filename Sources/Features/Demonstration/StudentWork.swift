import JSONBytes
import Values

/// How one student does homework: made up, but the same every time for the same student and task.
struct StudentWork: Sendable {
    /// The result of one task.
    struct Outcome: Sendable {
        var openedAt: Timestamp?
        var doneAt: Timestamp?
        /// The body of `POST /v1/activities`; empty if no app reports anything.
        var activities: [JSONValue] = []
    }

    /// The time in every id, so that the same work has the same ids on another day.
    private static let idMoment: Int64 = 1_527_847_200_000

    private var random: SplitMix64
    /// The probability that an answer is right.
    private let ability: Double
    /// The probability that homework is done.
    private let diligence: Double

    /// - Parameter isWeekly: whether it is about the homework of every week, which is drawn apart from all other.
    init(of student: DemonstrationSchool.Person, isWeekly: Bool = false) {
        let number = UInt64(student.id.dropFirst(2)) ?? 0
        random = SplitMix64(seed: 40_000 + number)
        ability = 0.45 + 0.5 * random.share()
        diligence = 0.7 + 0.3 * random.share()
        if isWeekly { random = SplitMix64(seed: 80_000 + number) }
    }

    /// Whether the student is ill and does nothing of a handout.
    mutating func isIll() -> Bool { random.happens(0.08) }

    /// Works at a context between publication and now: once, twice or not at all.
    mutating func work(
        at context: DemonstrationApp.Context, from published: Timestamp, to now: Timestamp
    ) -> Outcome {
        guard random.happens(diligence) else { return Outcome() }
        var outcome = Outcome()
        var moment = start(after: published, before: now)
        let attempts = random.happens(0.25) ? 2 : 1
        for attempt in 1...attempts {
            let minutes = random.number(4...22)
            let end = moment.adding(minutes: minutes)
            guard end < now else { break }
            if outcome.openedAt == nil { outcome.openedAt = moment }
            let isWhole = random.happens(0.8)
            outcome.activities.append(
                activity(
                    context, at: moment, minutes: minutes, isWhole: isWhole,
                    better: 0.1 * Double(attempt - 1)))
            if isWhole { outcome.doneAt = end.adding(minutes: 1) }
            moment = end.adding(minutes: random.number(30...2000))
        }
        return outcome
    }

    /// Opens a link, and usually reports that it is done.
    mutating func visit(from published: Timestamp, to now: Timestamp) -> Outcome {
        guard random.happens(diligence) else { return Outcome() }
        let moment = start(after: published, before: now)
        let end = moment.adding(minutes: random.number(3...15))
        return Outcome(openedAt: moment, doneAt: end < now && random.happens(0.85) ? end : nil)
    }

    /// Reads something that no one assigned; the service drops what the app reports about it.
    mutating func readForFun(_ context: DemonstrationApp.Context, before now: Timestamp)
        -> JSONValue?
    {
        guard random.happens(0.5) else { return nil }
        let moment = now.adding(minutes: -random.number(2000...20_000))
        return activity(context, at: moment, minutes: 12, isWhole: false, better: 0)
    }

    /// A time in the first days, usually in the afternoon.
    private mutating func start(after published: Timestamp, before now: Timestamp) -> Timestamp {
        let available = (now.milliseconds - published.milliseconds) / 60_000 - 60
        let wanted = Int64(random.number(0...5) * 24 * 60 + random.number(20...400))
        return published.adding(minutes: Int(min(wanted, max(available, 1))))
    }

    private mutating func activity(
        _ context: DemonstrationApp.Context, at start: Timestamp, minutes: Int, isWhole: Bool,
        better: Double
    ) -> JSONValue {
        let end = start.adding(minutes: minutes)
        let id = UUID(milliseconds: Self.idMoment, random: (random.next(), random.next()))
        let progress = isWhole ? 1 : 0.1 + (random.share() * 8).rounded() / 10
        var members: [(String, JSONValue)] = [
            ("id", .text(id.description)),
            ("identifierPath", .array(context.path.map(JSONValue.text))),
            ("startedAt", .text(start.description)), ("stoppedAt", .text(end.description)),
            ("durationSeconds", .number(JSONNumber(Int64(minutes * 60 - random.number(0...50))))),
            ("progressRanges", [[0, JSONValue(floatLiteral: progress)]]),
            ("modifiedAt", .text(end.description)),
        ]
        switch context.reporting {
        case .quiz(let questions):
            members += quiz(questions, chance: min(0.98, ability + better))
        case .lesson:
            members.append(
                (
                    "primaryItem",
                    [
                        "kind": "quantity", "identifier": "hints", "title": "Hints taken",
                        "quantity": JSONValue(integerLiteral: Int64(random.number(0...6))),
                    ]
                ))
        case .book, .nothing: break
        }
        return .object(JSONObject(members))
    }

    private mutating func quiz(_ questions: Int, chance: Double) -> [(String, JSONValue)] {
        let answers = (1...questions).map { number in
            // Later questions are harder.
            random.happens(chance - 0.02 * Double(number))
        }
        let score = answers.count { $0 }
        let items = zip(1..., answers).map { number, isCorrect -> JSONValue in
            [
                "kind": "binary", "identifier": .text("question-\(number)"),
                "title": .text("Question \(number)"), "value": .bool(isCorrect),
                "valueType": "correctIncorrect",
            ]
        }
        return [
            (
                "primaryItem",
                [
                    "kind": "score", "identifier": "score", "title": "Score",
                    "score": JSONValue(integerLiteral: Int64(score)),
                    "maxScore": JSONValue(integerLiteral: Int64(questions)),
                ]
            ),
            ("additionalItems", .array(items)),
        ]
    }
}

extension Timestamp {
    func adding(minutes: Int) -> Timestamp {
        Timestamp(milliseconds: milliseconds + Int64(minutes) * 60_000)
    }
}
