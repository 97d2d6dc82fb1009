import JSONBytes
import Postgres
import School
import TestKit
import Values

/// Weeks in which Biology had work, counted back from last week, which is number 0.
struct WeeksOfWork: Sendable {
    let school: TestSchool

    /// A moment in a week: so many hours after its Monday began.
    func moment(_ week: Int, hours: Int) throws -> Timestamp {
        try school.sql(
            """
            select ((date_trunc('week', now() at time zone o.time_zone) - make_interval(days => \(Int32(7 * (week + 1))),
                                                                                   hours => \(Int32(-hours))))
                        at time zone o.time_zone)::timestamptz(3) as moment
              from school.organization as o where o.organization_id = \(school.hillside)
            """)[0].timestamp("moment")
    }

    /// Noon on Wednesday.
    func due(_ week: Int) throws -> Timestamp { try moment(week, hours: 60) }

    /// The Monday of the week.
    func day(_ week: Int) throws -> Day {
        try school.sql(
            """
            select (date_trunc('week', now() at time zone o.time_zone) - make_interval(days => \(Int32(7 * (week + 1)))))::date
                       as day
              from school.organization as o where o.organization_id = \(school.hillside)
            """)[0].day("day")
    }

    /// Four tasks, published two days before they were due on Wednesday.
    @discardableResult
    func give(
        _ week: Int, path: String = "week", to chosen: [Persona]? = nil, dueAt: Timestamp? = nil
    ) throws -> Work {
        let due = try dueAt ?? due(week)
        let handout = try school.newHandout(
            path: ["\(path)-\(week)-1"],
            publishedAt: Timestamp(milliseconds: due.milliseconds - 172_800_000), dueAt: due,
            to: chosen)
        let others = try (2...4).map {
            try school.newTask(
                of: handout.id, in: school.biology, path: ["\(path)-\(week)-\($0)"], position: $0)
        }
        return Work(handout: handout, tasks: [handout.task] + others, due: due)
    }

    /// The weeks before, in which a student did so many tasks in time.
    func past(_ weeks: ClosedRange<Int>, done: Int, by persona: Persona = .sam) throws {
        for week in weeks { try note(give(week), done: done, by: persona) }
    }

    /// The student did the first tasks, an hour before they were due unless the test says otherwise.
    func note(
        _ work: Work, done: Int, by persona: Persona = .sam, hoursAfterDue hours: Int = -1
    ) throws {
        let moment = Timestamp(
            milliseconds: work.due.milliseconds + Int64(hours) * 3_600_000)
        for task in work.tasks.prefix(done) {
            try school.sql(
                """
                insert into school.assignment (organization_id, task_id, person_id, opened_at, done_at)
                values (\(school.hillside), \(task), \(school.id(persona)), \(moment), \(moment))
                """)
        }
    }

    /// The student worked at the first task for so many seconds, a day before it was due.
    func work(_ week: Int, seconds: Double) async throws {
        let begin = Timestamp(milliseconds: try due(week).milliseconds - 86_400_000)
        let end = Timestamp(milliseconds: begin.milliseconds + Int64(seconds) * 1000)
        try await school.upload([
            school.attempt(at: ["week-\(week)-1"], from: begin, to: .some(end), seconds: seconds)
        ])
    }

    struct Work: Sendable {
        let handout: GivenHandout
        let tasks: [TaskID]
        let due: Timestamp
    }

    func answer(
        _ query: String? = nil, as persona: Persona = .tom, of name: String? = nil
    ) async throws -> Answer {
        let query = try query ?? "?week=\(day(0))"
        let id = name ?? school.biology.uuid.description
        return try await school.get("/v1/classes/\(id)/insights\(query)", as: persona)
    }

    /// What is said of each student, as `Sam fellBehind: lessDone`.
    func findings(_ query: String? = nil) async throws -> [String] {
        let answer = try await answer(query)
        return (answer.json["students"]?.array ?? []).map { student in
            let facts = (student["facts"]?.array ?? []).compactMap(\.text)
            return
                "\(student["givenName"]?.text ?? "") \(student["finding"]?.text ?? ""): "
                + facts.joined(separator: ", ")
        }
    }
}
