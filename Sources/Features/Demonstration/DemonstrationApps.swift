import JSONBytes

/// An app of the demonstration school with its contexts, as its developer would publish them.
///
/// They follow the examples in Apple's talks about ClassKit: a quiz app, a coding course, a book reader.
struct DemonstrationApp: Sendable {
    /// How an app reports a context.
    enum Reporting: Sendable {
        /// A score out of that many questions, and whether each answer was right.
        case quiz(questions: Int)
        /// Progress, and the number of hints taken.
        case lesson
        /// Progress through the pages.
        case book
        /// It only contains other contexts.
        case nothing
    }

    struct Context: Sendable {
        /// Below the app; empty for the app itself.
        let path: [String]
        let title: String
        let type: String
        let reporting: Reporting
        var summary: String?
    }

    let bundleID: String
    /// Parents before their children.
    let contexts: [Context]
    let topic: String

    static let all = [quizzler, browserQuizzler, coding, reader]

    static let quizzler = DemonstrationApp(
        bundleID: "org.example.quizzler",
        contexts: [
            Context(path: [], title: "Quizzler", type: "app", reporting: .nothing),
            Context(
                path: ["fractions"], title: "Fractions", type: "quiz",
                reporting: .quiz(questions: 10), summary: "Halves, thirds, and how to add them."),
            Context(
                path: ["shapes"], title: "Shapes and Angles", type: "quiz",
                reporting: .quiz(questions: 8), summary: "Triangles, circles and what lies between."
            ),
        ], topic: "math")

    /// `Sources/Program/Server/Examples/quizzler.js`.
    static let browserQuizzler = DemonstrationApp(
        bundleID: DemonstrationAccount.quizzlerID,
        contexts: [
            Context(path: [], title: "Quizzler in the browser", type: "app", reporting: .nothing),
            Context(
                path: ["ten-sums"], title: "Ten sums", type: "quiz",
                reporting: .quiz(questions: 10), summary: "Ten products, up to ten times ten."),
        ], topic: "math")

    static let coding = DemonstrationApp(
        bundleID: "org.example.coding",
        contexts: [Context(path: [], title: "Coding Course", type: "app", reporting: .nothing)]
            + zip(1..., lessonTitles).flatMap { number, title in lesson(number, title) },
        topic: "computerScienceAndEngineering")

    static let reader = DemonstrationApp(
        bundleID: "org.example.reader",
        contexts: [
            Context(path: [], title: "Book Reader", type: "app", reporting: .nothing),
            Context(
                path: ["fun-with-science"], title: "Fun with Science", type: "book",
                reporting: .book, summary: "Experiments with what is in every kitchen."),
            Context(
                path: ["fun-with-science", "water-cycle"], title: "Quiz: The Water Cycle",
                type: "quiz", reporting: .quiz(questions: 6),
                summary: "Where rain comes from, and where it goes."),
            Context(
                path: ["fun-with-science", "states-of-matter"], title: "Quiz: Solid, Liquid, Gas",
                type: "quiz", reporting: .quiz(questions: 5),
                summary: "What warmth does to water and wax."),
        ] + weeklyTopics.flatMap { path, title in chapter(path, title) } + [
            Context(
                path: ["basic-arithmetic"], title: "Basic Arithmetic", type: "book",
                reporting: .book, summary: "Read by many, assigned by nobody.")
        ], topic: "science")

    /// What science is about, week by week: each has a chapter with a quiz.
    static let weeklyTopics = [
        (path: "plants", title: "Plants"), (path: "light", title: "Light and Shadow"),
        (path: "magnets", title: "Magnets"), (path: "sound", title: "Sound"),
    ]

    private static func chapter(_ path: String, _ title: String) -> [Context] {
        let path = ["fun-with-science", path]
        return [
            Context(path: path, title: title, type: "chapter", reporting: .book),
            Context(
                path: path + ["quiz"], title: "Quiz: \(title)", type: "quiz",
                reporting: .quiz(questions: 8)),
        ]
    }

    static let lessonTitles = [
        "Commands", "Loops", "Conditions", "Functions", "Lists", "Debugging", "A Game of Your Own",
    ]
    /// The lessons that end with a quiz.
    static let lessonsWithQuiz = [1, 2, 3, 4, 5]

    private static func lesson(_ number: Int, _ title: String) -> [Context] {
        let path = ["lesson-\(number)"]
        let lesson = Context(path: path, title: title, type: "lesson", reporting: .lesson)
        guard lessonsWithQuiz.contains(number) else { return [lesson] }
        let quiz = Context(
            path: path + ["quiz"], title: "Quiz: \(title)", type: "quiz",
            reporting: .quiz(questions: 5))
        return [lesson, quiz]
    }

    func context(_ path: [String]) -> Context? { contexts.first { $0.path == path } }

    /// The body of `POST /v1/contexts`.
    var publication: JSONValue {
        [
            "contexts": .array(
                contexts.enumerated().map { order, context in
                    [
                        "data": data(of: context, order: order),
                        "metadata": [
                            "locale": "en-US", "keywords": [], "minimumBundleVersion": "1",
                        ],
                    ]
                })
        ]
    }

    private func data(of context: Context, order: Int) -> JSONValue {
        var capabilities: [JSONValue] = [["kind": "duration"]]
        var isAssignable = true
        switch context.reporting {
        case .quiz: capabilities += [["kind": "score"], ["kind": "binary"]]
        case .lesson: capabilities += [["kind": "percent"], ["kind": "quantity"]]
        case .book: capabilities += [["kind": "percent"]]
        case .nothing: isAssignable = false
        }
        let path = [bundleID] + context.path
        var members: [(String, JSONValue)] = [
            ("identifierPath", .array(path.map(JSONValue.text))), ("title", .text(context.title)),
            ("type", .text(context.type)), ("topic", .text(topic)),
            ("displayOrder", .number(JSONNumber(Int64(order)))),
            ("isAssignable", .bool(isAssignable)),
            ("progressReportingCapabilities", .array(capabilities)),
            (
                "universalLinkURL",
                .text("https://apps.example/\(path.joined(separator: "/"))")
            ),
        ]
        if let summary = context.summary { members.append(("summary", .text(summary))) }
        return .object(JSONObject(members))
    }
}
