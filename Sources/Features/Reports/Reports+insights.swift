import API
import HTTPWire
import Postgres
import School
import Values

/// How the work of a week compares with each student's own earlier weeks.
extension Reports {
    var insightEndpoints: [Endpoint] {
        [
            Endpoint(
                .get, "/v1/classes/{id}/insights",
                "Compare each student's week with the four weeks before",
                for: [.teacher],
                query: [
                    .optional(
                        "week", .day,
                        "Any day of the week, which begins on Monday in the time zone of the "
                            + "organization; this week when absent.")
                ],
                answers: [.json(Self.rules, .object(.weeklyInsights))],
                problems: Self.forTeachers, cost: 5, reads: .replica, handler: insights),
            Endpoint(
                .get, "/v1/me/insights",
                "Count the students with insights this week in each of your classes",
                for: [.teacher],
                answers: [
                    .json(
                        "The open classes with insights, by name. `GET /v1/classes/{id}/insights` "
                            + "says which students, and why.", .object(.teachingInsights))
                ],
                problems: Self.forTeachers, cost: 5, reads: .replica, handler: teachingInsights),
        ]
    }

    /// What is compared, and when it is an insight: the rules of `SQL/functions/reports/insights.sql`.
    private static let rules = """
        The insights: facts with their figures, and no score. The tasks that were due in the week so far are \
        compared with those due in the four weeks before. A handout without a due time belongs to the week in which \
        it was published, and is due when that ends. Each week is counted as it stood when it ended; what was done \
        later does not change it. Only students who are in the class now count, and only tasks that they had before \
        those were due. Nothing is said about students with progress off, or for whom work was due in fewer than two of \
        the four weeks before. A share is different if it differs by a third or more, and by at least one task of \
        the week.
        """

    private func insights(_ request: Request, _ caller: Caller) async throws -> Response {
        let day = request.queryDay("week")
        let now = database.clock.now.milliseconds
        if let day, Int64(day.daysSince1970) * 86_400_000 - 14 * 3_600_000 > now {
            throw Problem.invalidParameter("week", "This day is in the future everywhere.")
        }
        let taught: Reference<ClassEntity> = try request.reference("id")
        let rows = try await ask(
            .insights(of: taught, on: day), showing: ViewedWork(in: taught), as: caller)
        return try answer(rows, .insights)
    }

    private func teachingInsights(_ request: Request, _ caller: Caller) async throws -> Response {
        try .object(await database.longQuery(.teachingInsights, as: caller))
    }
}

extension Statement {
    fileprivate static func insights(
        of taught: Reference<ClassEntity>, on day: Day?
    ) -> Statement {
        """
        select class_id as "id", class_name as "name", week_from as "from", week_to as "to",
               counted_until, is_over as "over", generated_at,
               handouts, weeks_before,
               person_id, given_name, family_name,
               name_order,
               finding, facts,
               tasks, done, late, early,
               recorded, duration_seconds,
               weeks_of_student as "weeks", tasks_before as "tasks", done_before as "done",
               late_before as "late", early_before as "early", recorded_before as "recorded",
               duration_before as duration_seconds, students_off, students_shown
          from school.class_insights(\(taught.id), \(taught.source), \(day)::date)
        """
    }

    fileprivate static let teachingInsights: Statement = """
        select week_from as "from", week_to as "to", generated_at, classes
          from school.teaching_insights()
        """
}

extension ReportOutline {
    fileprivate static let insights = ReportOutline(
        head: [
            .object("class", ["id", "name"]),
            .object("week", ["from", "to", "countedUntil", "over"]),
            .members(["generatedAt", "handouts", "weeksBefore"]),
        ],
        lists: [
            List(
                name: "students",
                parts: [
                    .members([
                        "personId", "givenName", "familyName", "nameOrder", "finding", "facts",
                    ]),
                    .object("thisWeek", figures), .object("before", ["weeks"] + figures),
                ])
        ],
        notes: { rows, _ in
            let weeks = try rows[0].int("weeks_before")
            return try [ReportNote.off(rows), weeks < 2 ? .fewWeeks : nil].compactMap(\.self)
        })

    private static let figures = ["tasks", "done", "late", "early", "recorded", "durationSeconds"]
}
