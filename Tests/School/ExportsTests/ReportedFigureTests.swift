import JSONBytes
import Postgres
import RandomKit
import School
import TestKit
import Testing
import Values

/// What the export says of a class and of a student is what the reports say.
@Suite struct ReportedFigures {
    @Test(arguments: seeds(0..<4))
    func `every figure of a class and of a student is that of the report`(seed: UInt64) async throws
    {
        try await withSchool { school in
            try await withFolder { root in
                var random = SplitMix64(seed: seed)
                let handouts = try await school.workAtRandom(&random)
                let folder = try school.export(root, "2026-03-02", full: true)
                let summaries = try rows("class_summaries", in: folder)
                let attempts = try rows("activity_reports", in: folder)
                let assignments = try rows("assignments", in: folder)
                var kinds: Set<String?> = []
                for handout in handouts {
                    let report = try await school.get(
                        "/v1/handouts/\(handout.id.uuid)/report", as: .tom)
                    for task in report.json["tasks"]?.array ?? [] {
                        let summary = try #require(
                            summaries.first { $0["task_id"] == task["taskId"] })
                        Self.compare(summary, task)
                        Self.compare(attempts, task)
                        Self.compare(assignments: assignments, task)
                        kinds.insert(summary["primary_kind"]?.text)
                    }
                }
                #expect(summaries.count == 12)
                #expect(kinds.count > 2, "\(kinds)")
            }
        }
    }

    private static func compare(_ summary: JSONValue, _ task: JSONValue) {
        let average = task["classAverage"]
        let cells = (task["students"]?.array ?? []).filter { $0["beforeJoined"] == false }
        let all = task["students"]?.array ?? []
        for (column, figure) in [
            ("primary_kind", task["primaryKind"]),
            ("has_mixed_primary_kinds", task["mixedPrimaryKinds"]),
            ("students", number(cells.count)),
            ("students_opened", number(cells.count { $0["openedAt"] != .null })),
            ("students_done", number(cells.count { $0["doneAt"] != .null })),
            ("students_with_data", average?["studentsWithData"]),
            ("attempts", number(all.reduce(0) { $0 + Int($1["attempts"]?.int64 ?? -1) })),
            ("average_progress", average?["progress"]),
            ("average_duration_seconds", average?["durationSeconds"]),
            ("average_score_share", average?["score"]),
            ("average_quantity", average?["quantity"]),
            ("positive_share", average?["positiveShare"]),
        ] {
            let stored = summary[column]
            let isSame = stored?.double.map { $0 == figure?.double } ?? (stored == figure)
            #expect(isSame, "\(column): \(stored ?? nil), and the report: \(figure ?? nil)")
        }
    }

    private static func compare(assignments: [JSONValue], _ task: JSONValue) {
        for cell in task["students"]?.array ?? [] {
            let own = assignments.filter {
                $0["task_id"] == task["taskId"] && $0["person_id"] == cell["personId"]
            }
            #expect(own.count == 1)
            let isDone = cell["doneAt"] != .null
            #expect(own.first?["is_late"] == (isDone ? cell["late"] : .null))
            #expect(own.first?["opened_at"] == cell["openedAt"])
            #expect(own.first?["done_at"] == cell["doneAt"])
        }
    }

    /// A timed task counts at most its minutes for a student, however many attempts there are.
    private static func compare(_ attempts: [JSONValue], _ task: JSONValue) {
        for cell in task["students"]?.array ?? [] {
            let own = attempts.filter {
                $0["task_id"] == task["taskId"] && $0["person_id"] == cell["personId"]
            }
            #expect(own.count == cell["attempts"]?.int64.map(Int.init))
            let latest = own.last { $0["is_final"] == false }
            #expect(latest?["progress"]?.double == cell["progress"]?.double)
            let seconds = own.reduce(0) { $0 + ($1["duration_seconds"]?.double ?? 0) }
            let shown = cell["durationSeconds"]?.double ?? 0
            #expect(abs(min(seconds, task["title"] == "Timed" ? 120 : seconds) - shown) < 1e-6)
        }
    }

    private static func number(_ count: Int) -> JSONValue {
        JSONValue(integerLiteral: Int64(count))
    }
}

extension TestSchool {
    /// Three handouts of four tasks, at which students work, or do not, one of whom joins later.
    fileprivate func workAtRandom(_ random: inout SplitMix64) async throws -> [GivenHandout] {
        var handouts: [GivenHandout] = []
        for number in 1...3 {
            // Before or after Ben joins, in the future, or never.
            let handout = try newHandout(
                path: ["h\(number)", "t1"],
                dueAt: random.choice(of: [110, 50, 0, -60, nil]).map { ago($0) })
            for position in 2...4 {
                try newTask(
                    of: handout.id, in: biology, path: ["h\(number)", "t\(position)"],
                    position: position)
            }
            handouts.append(handout)
        }
        try sql(
            """
            update school.task set kind = 'timedApp', minutes = 2, identifier_path = null, title = 'Timed'
             where handout_id = \(handouts[2].id) and position = 4
            """)
        try sql(
            """
            insert into school.seat (organization_id, class_id, person_id, role, joined_at)
            values (\(hillside), \(biology), \(id(.ben)), 'student', \(ago(90)))
            """)
        let paths = (1...3).flatMap { number in (1...4).map { ["h\(number)", "t\($0)"] } }
        for (student, app) in [
            (Persona.sam, Persona.samsApp), (.sue, .suesApp), (.ben, .bensApp),
        ] {
            for path in paths {
                try await upload(attempts(at: path == ["h3", "t4"] ? [] : path, &random), as: app)
            }
            for task in try sql("select task_id from school.task") {
                let id = try task.uuid("task_id")
                let mark = random.choice(of: ["opened", "done", nil])
                if let mark { _ = try await put("/v1/assignments/\(id)/\(mark)", as: student) }
            }
        }
        return handouts
    }

    private func attempts(at path: [String], _ random: inout SplitMix64) -> [JSONValue] {
        (0..<random.number(0...3)).map { turn in
            let start = ago(100 - 20 * turn)
            let end = ago(90 - 20 * turn)
            return attempt(
                at: path, from: start, to: end, seconds: Double(random.number(1...4000)) / 10,
                ranges: random.happens(percent: 70)
                    ? [[0, Double(random.number(1...99)) / 100]] : [],
                primary: primaryItem(of: path, &random), modified: end)
        }
    }

    /// Mostly of one kind for each task.
    private func primaryItem(of path: [String], _ random: inout SplitMix64) -> JSONValue? {
        let usual = path.reduce(0) { $0 + Int($1.utf8.last ?? 0) } % 4
        switch random.happens(percent: 85) ? usual : random.number(0...3) {
        case 1:
            let (score, most) = random.choice(of: [(0, 10.0), (7.5, 10), (1e-5, 3), (2e300, 2e300)])
            return [
                "kind": "score", "identifier": "points", "title": "Points",
                "score": JSONValue(floatLiteral: score), "maxScore": JSONValue(floatLiteral: most),
            ]
        case 2:
            let figure = random.choice(of: [0, -3.25, 41, 1e15, 1e-9, 1e300])
            return [
                "kind": "quantity", "identifier": "words", "title": "Words",
                "quantity": JSONValue(floatLiteral: figure),
            ]
        case 3:
            return [
                "kind": "binary", "identifier": "passed", "title": "Passed",
                "value": .bool(random.happens(percent: 60)), "valueType": "passFail",
            ]
        default: return nil
        }
    }
}
