/// Homework that the teachers of a subject assign, with the same weekly schedule every time.
struct Homework: Sendable {
    enum Task: Sendable {
        case context(DemonstrationApp, [String])
        case timedApp(DemonstrationApp, minutes: Int)
        case link(title: String, url: String)

        /// The app and context in which it is done; for a timed task, the whole app. `nil` for a link, and for a
        /// context that the app does not have.
        var target: (app: DemonstrationApp, context: DemonstrationApp.Context)? {
            switch self {
            case .context(let app, let path): app.context(path).map { (app, $0) }
            case .timedApp(let app, _): app.context([]).map { (app, $0) }
            case .link: nil
            }
        }
    }

    let title: String
    let instructions: String
    /// How many days before today it was published; a negative number means scheduled.
    let publishedDaysAgo: Int
    /// How many days after publication it was due.
    let daysToDo: Int
    let tasks: [Task]
    /// Whether there is one like it every week.
    var isWeekly = false
    /// Whether nobody has begun it, so that one can watch the work arrive.
    var isToWatch = false

    static func all(in subject: DemonstrationSchool.Subject) -> [Homework] {
        switch subject {
        case .mathematics: mathematics
        case .science: (science + weekly).sorted { $0.publishedDaysAgo > $1.publishedDaysAgo }
        case .computing: computing
        }
    }

    /// For the class of the printed teacher and student alone.
    static let toWatch = Homework(
        title: DemonstrationAccount.handoutToWatch,
        instructions: "Without a calculator. Each answer arrives while you go on.",
        publishedDaysAgo: 1, daysToDo: 4,
        tasks: [.context(.browserQuizzler, ["ten-sums"])], isToWatch: true)

    private static let mathematics = [
        Homework(
            title: "Fractions, first round", instructions: "Try the quiz; a second try is fine.",
            publishedDaysAgo: 23, daysToDo: 6,
            tasks: [.context(.quizzler, ["fractions"])]),
        Homework(
            title: "Shapes and angles", instructions: "Draw before you answer.",
            publishedDaysAgo: 9, daysToDo: 7,
            tasks: [
                .link(title: "Angles on one page", url: "https://maths.example/angles"),
                .context(.quizzler, ["shapes"]),
            ]),
        Homework(
            title: "Ten minutes a day", instructions: "Whatever you like best in the app.",
            publishedDaysAgo: 3, daysToDo: 7, tasks: [.timedApp(.quizzler, minutes: 10)]),
    ]

    private static let science = [
        Homework(
            title: "Fun with Science",
            instructions: "Read as far as you get, and try one experiment.",
            publishedDaysAgo: 20, daysToDo: 14,
            tasks: [.context(.reader, ["fun-with-science"])]),
        Homework(
            title: "The water cycle",
            instructions: "Watch the film before the next lesson, then try both quizzes.",
            publishedDaysAgo: 5, daysToDo: 7,
            tasks: [
                .link(title: "A film about water", url: "https://science.example/water"),
                .context(.reader, ["fun-with-science", "water-cycle"]),
                .context(.reader, ["fun-with-science", "states-of-matter"]),
                .context(.reader, ["fun-with-science"]),
            ]),
        Homework(
            title: "Second reading", instructions: "From where you stopped to the end.",
            publishedDaysAgo: -2, daysToDo: 7, tasks: [.context(.reader, ["fun-with-science"])]),
    ]

    /// One a week, due on the same day of the week as today, so that weeks can be compared.
    private static let weekly = zip([3, 2, 1, 0], DemonstrationApp.weeklyTopics).map {
        weeks, topic in
        let path = ["fun-with-science", topic.path]
        return Homework(
            title: topic.title, instructions: "Look, read, then try the quiz.",
            publishedDaysAgo: 7 * weeks + 4, daysToDo: 4,
            tasks: [
                .link(
                    title: "\(topic.title) in pictures",
                    url: "https://science.example/\(topic.path)"),
                .context(.reader, path), .context(.reader, path + ["quiz"]),
            ], isWeekly: true)
    }

    private static let computing = [
        Homework(
            title: "Commands and loops", instructions: "Two lessons, each with its quiz.",
            publishedDaysAgo: 16, daysToDo: 7,
            tasks: [
                .context(.coding, ["lesson-1"]), .context(.coding, ["lesson-1", "quiz"]),
                .context(.coding, ["lesson-2"]), .context(.coding, ["lesson-2", "quiz"]),
            ]),
        Homework(
            title: "Conditions", instructions: "Stop where the course says so.",
            publishedDaysAgo: 4, daysToDo: 9,
            tasks: [.context(.coding, ["lesson-3"]), .context(.coding, ["lesson-3", "quiz"])]),
    ]

    /// The groups whose teachers assign homework; the others only have classes.
    static let groups = ["7A", "7B", "8A", "9A", "9B", "4A", "5B"]
}
