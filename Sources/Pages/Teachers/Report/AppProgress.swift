import JSONBytes
import Values

/// `/classes/{id}/apps/{app}`: what a class did in one app, handout by handout and student by student.
enum AppProgress: Screen {
    static var pages: [Page] {
        [
            .show("/classes/{id}/apps/{app}", for: .teacher, load: load, render: view),
            .get("/classes/{id}/apps/{app}/tasks.csv", for: .teacher) { visit in
                .response(try await visit.table(reportPath(visit)))
            },
            .get("/classes/{id}/apps/{app}/students.csv", for: .teacher) { visit in
                .response(try await visit.table(studentsPath(visit)))
            },
        ]
    }

    struct Content: Sendable {
        let schoolClass: Side.SchoolClass?
        let name: String
        let handouts: [TaughtHandout]
        let students: [AppStudent]
        let generatedAt: Timestamp?
    }

    private static func reportPath(_ visit: Visit) -> LocalPath {
        visit.inPeriod("/v1/classes/\(visit["id"])/apps/\(visit["app"])/report")
    }

    private static func studentsPath(_ visit: Visit) -> LocalPath {
        visit.inPeriod("/v1/classes/\(visit["id"])/apps/\(visit["app"])/students")
    }

    private static func load(_ visit: Visit) async throws -> Content {
        async let asked = visit.api.get(reportPath(visit))
        async let students = visit.api.get(studentsPath(visit))
        async let schoolClass = visit.api.get("/v1/classes/\(visit["id"])")
        let report = try await asked
        return try await Content(
            schoolClass: Side.SchoolClass(schoolClass),
            name: report["app"]?["name"]?.text ?? visit["app"],
            handouts: (report["handouts"]?.array ?? []).map { TaughtHandout($0) },
            students: (students["items"]?.array ?? []).map(AppStudent.init),
            generatedAt: report.moment("generatedAt"))
    }

    private static func view(_ content: Content, _ visit: Visit) -> View {
        let texts = visit.texts
        return View(content.name) {
            head(content, visit)
            periodFilter(visit)
            asOf(content.generatedAt, visit)
            if content.handouts.isEmpty {
                emptyBox(texts(ProgressText.emptyTitle), texts(ProgressText.emptyAdvice))
            } else {
                ProgressChart(content.handouts, visit).card
                handoutFigures(content.handouts, visit)
                students(content.students, visit)
            }
        }.printedAcross()
    }

    private static func head(_ content: Content, _ visit: Visit) -> HTML {
        let texts = visit.texts
        let (id, app) = (visit["id"], visit["app"])
        let name = content.schoolClass?.name ?? ""
        return div {
            crumbs(
                [
                    ("/classes/\(id)", name),
                    (visit.inPeriod("/classes/\(id)/apps"), texts(AppProgressText.apps)),
                ], texts)
            heading(
                content.name, below: texts.html(AppProgressText.work, ["class": written(name)])
            ) {
                csvButton(
                    visit.inPeriod("/classes/\(id)/apps/\(app)/tasks.csv"),
                    texts(AppProgressText.csvTasks))
                csvButton(
                    visit.inPeriod("/classes/\(id)/apps/\(app)/students.csv"),
                    texts(AppProgressText.csvStudents))
                printButton(texts)
            }
        }
    }

    private static func students(_ students: [AppStudent], _ visit: Visit) -> HTML {
        let texts = visit.texts
        return section(.class("stack")) {
            h2(.id("students")) { texts(AppProgressText.eachStudent) }
            if students.isEmpty {
                p(.class("soft")) { texts(ProgressText.noStudents) }
            } else {
                div(.class("table-box"), .role("region"), .labelledBy("students"), .tabindex(0)) {
                    table(.class("table table-fixed")) {
                        thead {
                            tr {
                                th(.scope("col")) { texts(AppProgressText.student) }
                                th(.scope("col")) { texts(ProgressText.doneColumn) }
                                th(.scope("col")) { texts(AppProgressText.time) }
                                th(.scope("col")) { texts(AppProgressText.attempts) }
                                th(.scope("col")) { texts(AppProgressText.result) }
                                th(.scope("col")) { texts(ProgressText.progress) }
                            }
                        }
                        tbody { for student in students { student.row(visit) } }
                    }
                }
            }
        }
    }
}

/// What a student came to in an app.
struct AppStudent: Sendable {
    let student: HandoutReport.Student
    let isProgressOff: Bool
    let tasks: Int
    let done: Int
    let overdue: Int
    let attempts: Int
    let seconds: Double?
    let progress: Double?
    /// Share of the maximum, or of positive items where nothing has a score.
    let result: Double?

    init(_ item: JSONValue) {
        func count(_ member: String) -> Int { item[member]?.int64.map { Int($0) } ?? 0 }
        student = HandoutReport.Student(item)
        isProgressOff = item["progressOff"]?.bool ?? false
        tasks = count("tasks")
        done = count("tasksDone")
        overdue = count("tasksOverdue")
        attempts = count("attempts")
        seconds = item["durationSeconds"]?.double
        progress = item["progress"]?.double
        result = item["score"]?.double ?? item["positiveShare"]?.double
    }

    fileprivate func row(_ visit: Visit) -> HTML {
        let texts = visit.texts
        return tr {
            th(.scope("row")) {
                a(.href("/classes/\(visit["id"])/students/\(student.id)"), .dirAuto) {
                    student.name
                }
            }
            td(.class("wide")) {
                doneMeter(
                    texts(
                        overdue > 0 ? AppProgressText.doneOverdue : .done,
                        [
                            "n": texts.number(done), "all": texts.number(tasks),
                            "overdue": texts.number(overdue),
                        ]), done, of: tasks)
                if isProgressOff { tag(texts(ReportText.progressOff), .off, .line) }
            }
            td(.class("number")) { seconds.map(texts.duration) ?? "" }
            td(.class("number")) { attempts > 0 ? texts.number(attempts) : "" }
            td(.class("number")) { result.map(texts.percent) ?? "" }
            td(.class("number")) { progress.map(texts.percent) ?? "" }
        }
    }
}
