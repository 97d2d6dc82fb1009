import API

extension ObjectShape {
    /// What stands out in a class's week.
    static let weeklyInsights = ObjectShape(
        "WeeklyInsights",
        [
            .required("class", .object(namedClass)), .required("week", .object(week)),
            .required("generatedAt", .timestamp),
            .required(
                "handouts", .array(.object(reportedHandout), count: 0...100_000),
                "Handouts with tasks that were due in the week so far."),
            .required(
                "weeksBefore", .integer(0...4),
                "In how many of the four weeks before there was work due."),
            .required(
                "students", .array(.object(insightStudent), count: 0...100_000),
                "Students with a finding: nothingDone first, then fellBehind, then spedUp, by "
                    + "name."),
            notes,
        ])

    /// The classes in which a student's week stands out.
    static let teachingInsights = ObjectShape(
        "TeachingInsights",
        [
            .required("from", .day, "The Monday of this week."), .required("to", .day),
            .required("generatedAt", .timestamp),
            .required("classes", .array(.object(countedClass), count: 0...10_000)),
        ])

    private static let week = ObjectShape(
        "InsightWeek",
        [
            .required("from", .day, "A Monday."), .required("to", .day, "The Sunday after it."),
            .required("countedUntil", .timestamp, "When the week ended, or now."),
            .required("over", .boolean),
        ])

    private static let insightStudent = ObjectShape(
        "InsightStudent",
        names + [
            .required(
                "finding", .word(["nothingDone", "fellBehind", "spedUp"]),
                "nothingDone: no task of the week was opened, done or attempted. fellBehind and "
                    + "spedUp: for the reasons in `facts`."),
            .required(
                "facts",
                .array(
                    .word([
                        "nothingDone", "lessDone", "moreLate", "lessTime", "moreDone", "moreEarly",
                    ]), count: 1...3),
                "lessDone and moreDone: the share of tasks that were done. moreLate: the share of "
                    + "late ones, given only without lessDone. lessTime: not everything was "
                    + "done, and the time for each recorded task was at most half of the usual, "
                    + "and 10 minutes less in all. moreEarly: the share of early ones."),
            .required("thisWeek", .object(ObjectShape("InsightFigures", weekFigures))),
            .required(
                "before",
                .object(
                    ObjectShape(
                        "InsightFiguresBefore",
                        [
                            .required(
                                "weeks", .integer(2...4),
                                "In how many of the four weeks before the student had work to do.")
                        ] + weekFigures)), "The sums over these weeks."),
        ])

    private static let weekFigures: [Field] = [
        .required("tasks", count, "Tasks that were due."), .required("done", count),
        .required("late", count, "Tasks done after they were due, or not done."),
        .required("early", count, "Tasks done at least a day before they were due."),
        .required("recorded", count, "Tasks in apps; the time was spent on these."),
        .required("durationSeconds", anyNumber, "The sum over all attempts."),
    ]

    private static let countedClass = ObjectShape(
        "ClassWithInsights",
        [
            .required("id", .uuid), .required("name", .line()),
            .required("nothingDone", count), .required("fellBehind", count),
            .required("spedUp", count),
        ])

    private static let count = Shape.integer(0...1_000_000)
}
