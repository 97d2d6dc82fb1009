import HTTPWire
import JSONBytes
import PrivacyRules
import School
import TestKit
import Values

/// What every call shows that has to do with progress.
extension RandomSchool {
    /// Makes every call of the route table as everyone. Those that have nothing to do with progress take the most time
    /// and vary the least: one school in ten is asked.
    func lookThroughCalls() async throws {
        try plantComments()
        defer { removeComments() }
        try plantPoints()
        defer { removePoints() }
        for (name, viewer) in Onlooker.viewers {
            let look = look(name, as: viewer)
            if try await isErased(look) { continue }
            for row in RouteTable.rows { try await check(row, look) }
        }
        for (name, token) in others {
            try await lookAsOther(name, token, everywhere: plan.seed % 10 == 1)
        }
        for student in Cast.students { try await checkPersonalData(of: student) }
        try await lookAsToolsByCalls()
    }

    func look(_ name: String, as viewer: Viewer) -> Look {
        let reached = Onlooker.viewers.map(\.viewer).filter { token(of: $0) == token(of: viewer) }
        return Look(
            name: name, viewer: viewer, reached: reached, token: token(of: viewer),
            marks: reached.reduce(into: []) { $0.formUnion(oracle.marks(seenBy: $1)) })
    }

    /// A viewer with a token.
    struct Look {
        let name: String
        let viewer: Viewer
        /// The same person in every role of the token.
        let reached: [Viewer]
        let token: String
        /// Of what the viewer may see.
        let marks: Set<Int>

        var isTeacher: Bool { if case .teacher = viewer { true } else { false } }
    }

    private func check(_ row: RouteTable.Row, _ look: Look) async throws {
        switch row.kind {
        case .handouts where look.isTeacher: try await checkHandouts(look)
        case .handout: try await checkHandout(look)
        case .report where look.isTeacher: try await checkReports(look)
        case .attempts where look.isTeacher: try await checkAttempts(look)
        case .returns where look.isTeacher: try await checkReturns(look)
        case .comments: try await checkComments(look)
        case .points where row.path.hasSuffix("}/mark"): try await checkPoints(look)
        case .items where look.isTeacher: try await checkItems(look)
        case .classReport where look.isTeacher: try await checkClassReports(look)
        case .classApps where look.isTeacher: try await checkApps(look)
        case .appReport where look.isTeacher: try await checkAppReports(look)
        case .appStudents where look.isTeacher: try await checkAppStudents(look)
        case .insights where look.isTeacher: try await checkInsights(look)
        case .teachingInsights where look.isTeacher: try await checkTeachingInsights(look)
        case .studentReport where look.isTeacher: try await checkStudentReports(look)
        case .ownReport where !look.isTeacher: try await checkOwnReport(look)
        case .overview where look.isTeacher: try await checkOverview(look)
        case .news where look.isTeacher: try await checkNews(look)
        case .assignments where !look.isTeacher: try await checkAssignments(look)
        case .ownHandout where !look.isTeacher: try await checkOwnHandouts(look)
        case .ownAttempts where !look.isTeacher: try await checkOwnAttempts(look)
        default: break
        }
    }

    /// Whether the person is erased, so that the token is refused.
    func isErased(_ look: Look) async throws -> Bool {
        guard case .student(let student, _) = look.viewer, oracle.erased.contains(student) else {
            return false
        }
        let answer = try await ask(.get, "/v1/me", look.token)
        if answer.status != 401 { findings.append("\(look.name) is erased, and still asks") }
        return true
    }

    /// What a viewer reads; rule 6: what is invisible is not there.
    func read(_ target: String, _ look: Look) async throws -> JSONValue? {
        let answer = try await ask(.get, target, look.token)
        self.look(through: answer.body, for: look.marks, look.name, target)
        if answer.status == 200 { return answer.json }
        if answer.status != 404 { findings.append("\(look.name) gets \(answer.status): \(target)") }
        return nil
    }

    // MARK: Handouts

    private func checkHandouts(_ look: Look) async throws {
        let items = try await read("/v1/handouts?limit=1000", look)?["items"]?.array ?? []
        compare(
            Set(items.map { name($0["id"]) }),
            Set(oracle.handouts(seenBy: look.viewer).map(\.text)), look.name,
            "GET /v1/handouts")
        try await checkCounts(look)
    }

    private func checkHandout(_ look: Look) async throws {
        var seen: Set<String> = []
        var chosen: Set<String> = []
        for (handout, id) in handouts {
            guard let answer = try await read("/v1/handouts/\(id.uuid)", look) else { continue }
            seen.insert(handout.text)
            for student in answer["recipients"]?.array ?? [] {
                chosen.insert("\(handout) to \(name(student))")
            }
        }
        let call = "GET /v1/handouts/{id}"
        let records = { (kind: Record) -> Set<String> in
            look.reached.reduce(into: []) {
                $0.formUnion(self.oracle.records(kind, seenBy: $1))
            }
        }
        compare(seen, records(.handout), look.name, call)
        compare(chosen, records(.recipient), look.name, call)
    }

    private func checkAssignments(_ look: Look) async throws {
        guard case .student(let student, let world) = look.viewer else { return }
        let items = try await read("/v1/me/assignments?limit=1000", look)?["items"]?.array ?? []
        compare(
            Set(items.map(listed)), oracle.list(of: student, in: world), look.name,
            "GET /v1/me/assignments")
    }

    func listed(_ assignment: JSONValue) -> String {
        Wording.listed(
            TaskName(name(assignment["id"])), noted(assignment),
            isRecorded: isThere(assignment["recording"]))
    }

    // MARK: Reports

    private func checkReports(_ look: Look) async throws {
        for (handout, id) in handouts {
            let target = "/v1/handouts/\(id.uuid)/report"
            let report = try await read(target, look)
            let tasks = report?["tasks"]?.array ?? []
            compare(
                Set(tasks.flatMap(cells)),
                oracle.cells(of: handout, seenBy: look.viewer), look.name,
                "the report of \(handout)")
            compare(
                Set(tasks.map(average)),
                oracle.averages(of: handout, seenBy: look.viewer), look.name,
                "the averages of \(handout)")
            try await checkEvents(target, report?["position"]?.text, look)
            guard report != nil else { continue }
            let table = try await ask(.get, target, look.token, headers: [("Accept", "text/csv")])
            self.look(through: table.body, for: look.marks, look.name, target + " as CSV")
        }
    }

    /// A report can be followed exactly by those who may read it, and where it is says nothing that the report does not.
    private func checkEvents(_ report: String, _ position: String?, _ look: Look) async throws {
        let target = "\(report)/events?after=\(position ?? "x")"
        let answer = try await ask(.get, target, look.token)
        self.look(through: answer.body, for: look.marks, look.name, target)
        if answer.status != (position == nil ? 404 : 200) {
            findings.append("\(look.name) gets \(answer.status): \(target)")
        } else if answer.text.contains("data:") {
            findings.append("\(look.name) reads a report at one position and follows it at another")
        }
    }

    /// The cells that reveal anything about the student.
    private func cells(_ task: JSONValue) -> [String] {
        (task["students"]?.array ?? []).compactMap {
            cell($0, at: task, of: PersonName(name($0["personId"])))
        }
    }

    /// What a report says about a student at a task; `nil` if nothing.
    func cell(_ cell: JSONValue, at task: JSONValue, of student: PersonName) -> String? {
        let attempts = Int(cell["attempts"]?.int64 ?? 0)
        let noted = noted(cell)
        guard attempts > 0 || noted.saysAnything else { return nil }
        return Wording.cell(
            TaskName(name(task["taskId"])), student, noted, attempts: attempts,
            seconds: Int(cell["durationSeconds"]?.double ?? 0),
            progress: percent(cell["progress"]), edition: edition(cell["primaryItem"]))
    }

    func average(_ task: JSONValue) -> String {
        Wording.average(
            TaskName(name(task["taskId"])),
            students: Int(task["classAverage"]?["studentsWithData"]?.int64 ?? -1),
            seconds: task["classAverage"]?["durationSeconds"]?.double)
    }

    private func checkAttempts(_ look: Look) async throws {
        let visible = oracle.handouts(seenBy: look.viewer)
        for (handout, id) in handouts {
            // For what is out of sight, one request says as much as one for each student.
            let students = visible.contains(handout) ? Cast.students : [Cast.students[0]]
            for student in students {
                let target = "/v1/handouts/\(id.uuid)/students/\(text(of: student))"
                let tasks = try await read(target, look)?["tasks"]?.array ?? []
                compare(
                    Set(tasks.flatMap { attempts($0, of: student) }),
                    oracle.attempts(of: student, in: handout, seenBy: look.viewer),
                    look.name, "the attempts of \(student) in \(handout)")
            }
        }
    }

    /// What was given back is shown for visible handouts only.
    private func checkReturns(_ look: Look) async throws {
        let visible = oracle.handouts(seenBy: look.viewer)
        var seen: Set<String> = []
        for (task, id) in tasks {
            guard let handout = handouts[task.handout] else { continue }
            for student in visible.contains(task.handout) ? Cast.students : [Cast.students[0]] {
                let path = "students/\(text(of: student))/tasks/\(id.uuid)/return"
                guard
                    let answer = try await read("/v1/handouts/\(handout.uuid)/\(path)", look)
                else { continue }
                seen.insert(Wording.assignment(task, student, noted(answer, givenBack: answer)))
            }
        }
        compare(
            seen, oracle.returns(seenBy: look.viewer), look.name,
            "GET /v1/handouts/{id}/students/{personId}/tasks/{taskId}/return")
    }

    func attempts(_ task: JSONValue, of student: PersonName) -> [String] {
        (task["attempts"]?.array ?? []).map { attempt in
            let id = UUID(attempt["activityId"]?.text ?? "")
            return Wording.attempt(
                activity(id ?? UUID(high: 0, low: 0), of: student),
                TaskName(name(task["taskId"])), figures(attempt))
        }
    }

    // MARK: Reading answers

    func figures(_ attempt: JSONValue) -> Wording.Figures {
        Wording.Figures(
            progress: percent(attempt["progress"]),
            seconds: Int(attempt["durationSeconds"]?.double ?? 0),
            edition: edition(attempt["primaryItem"]))
    }

    /// What was noted, as most documents have it.
    func noted(_ document: JSONValue) -> Noted {
        let returned = document["returned"]
        return noted(document, givenBack: isThere(returned) ? returned : .none)
    }

    private func noted(_ document: JSONValue, givenBack: JSONValue?) -> Noted {
        Noted(
            isOpened: isThere(document["openedAt"]), isDone: isThere(document["doneAt"]),
            givenBack: givenBack.map {
                GivenBack(
                    edition: mark.edition($0["note"]?.text ?? "") ?? Mark.foreign,
                    isToTryAgain: $0["tryAgain"]?.bool ?? false)
            })
    }

    func isThere(_ member: JSONValue?) -> Bool { member.map { !$0.isNull } ?? false }

    func percent(_ share: JSONValue?) -> Int? { share?.double.map { Int(($0 * 100).rounded()) } }

    func edition(_ item: JSONValue?) -> Int? {
        item?["title"]?.text.map {
            edition(titled: $0, score: Int(item?["score"]?.double ?? 0))
        }
    }

    /// Of an item: its title is a mark, or it is a score of the tool, which is as high as its edition.
    func edition(titled title: String, score: Int) -> Int {
        mark.edition(title) ?? (score >= Cast.firstScore ? score : Mark.foreign)
    }

    /// The name behind an id in an answer.
    func name(_ id: JSONValue?) -> String { id?.text.flatMap { UUID($0) }.map(name) ?? "nothing" }

    private func token(of viewer: Viewer) -> String {
        switch viewer {
        case .teacher(let name, let world), .student(let name, let world): token(name, in: world)
        case .exporter, .other: token(.exporter)
        }
    }
}
