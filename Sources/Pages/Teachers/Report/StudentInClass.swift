import JSONBytes
import Values

/// `/classes/{id}/students/{person}`: everything of one student in a class, for the evening with the parents.
enum StudentInClass: Screen {
    static var pages: [Page] {
        [
            .show("/classes/{id}/students/{person}", for: .teacher, load: load, render: view),
            .get("/classes/{id}/students/{person}/report.csv", for: .teacher) { visit in
                .response(try await visit.table(path(visit)))
            },
        ]
    }

    struct Content: Sendable {
        let student: HandoutReport.Student
        let isProgressOff: Bool
        let handouts: [WorkedHandout]
        let generatedAt: Timestamp?
        let schoolClass: Side.SchoolClass?
        let students: [HandoutReport.Student]
    }

    /// A handout with what the student did.
    struct WorkedHandout: Sendable {
        let id: String
        let title: String
        let dueAt: Timestamp?
        let tasks: [(title: String, work: TaskWork)]

        init(_ handout: JSONValue) {
            id = handout["handoutId"]?.text ?? ""
            title = handout["title"]?.text ?? ""
            dueAt = handout.moment("dueAt")
            tasks = (handout["tasks"]?.array ?? []).map {
                (title: $0["title"]?.text ?? "", work: TaskWork($0))
            }
        }
    }

    private static func path(_ visit: Visit) -> LocalPath {
        visit.inPeriod("/v1/classes/\(visit["id"])/students/\(visit["person"])/report")
    }

    private static func load(_ visit: Visit) async throws -> Content {
        let id = visit["id"]
        async let asked = visit.api.get(path(visit))
        async let schoolClass = visit.api.get("/v1/classes/\(id)")
        async let roster = visit.api.get("/v1/classes/\(id)/students?limit=1000")
        let report = try await asked
        return try await Content(
            student: HandoutReport.Student(report["student"] ?? .null),
            isProgressOff: report["student"]?["progressOff"]?.bool ?? false,
            handouts: (report["handouts"]?.array ?? []).map { WorkedHandout($0) },
            generatedAt: report.moment("generatedAt"),
            schoolClass: Side.SchoolClass(schoolClass),
            students: (roster["items"]?.array ?? []).map(HandoutReport.Student.init(person:)))
    }

    private static func view(_ content: Content, _ visit: Visit) -> View {
        let texts = visit.texts
        return View(content.student.name) {
            head(content, visit)
            neighbours(of: content.student, in: content.students, texts) {
                "/classes/\(visit["id"])/students/\($0)"
            }
            periodFilter(visit)
            asOf(content.generatedAt, visit)
            if content.isProgressOff {
                notice(.plain, .off) { p { texts(AttemptText.progressOff) } }
            }
            if content.handouts.isEmpty {
                emptyBox(texts(ProgressText.emptyTitle), texts(ProgressText.emptyAdvice))
            } else {
                work(content, visit)
            }
        }
    }

    private static func head(_ content: Content, _ visit: Visit) -> HTML {
        let texts = visit.texts
        let (id, person) = (visit["id"], visit["person"])
        let name = content.schoolClass?.name ?? ""
        return div {
            crumbs(
                [("/classes/\(id)", name), ("/classes/\(id)/progress", texts(ClassText.progress))],
                texts)
            heading(
                content.student.name,
                below: texts.html(ProgressText.work, ["class": written(name)])
            ) {
                // The names of those who have left are in reports alone.
                if content.students.contains(where: { $0.id == content.student.id }) {
                    a(.class("button"), .href("/classes/\(id)/students/\(person)/grades")) {
                        texts(GradesText.tab)
                    }
                }
                csvButton(
                    visit.inPeriod("/classes/\(id)/students/\(person)/report.csv"),
                    texts(ReportText.csv))
                printButton(texts)
            }
        }
    }

    private static func work(_ content: Content, _ visit: Visit) -> HTML {
        let texts = visit.texts
        return div(
            .class("table-box"), .role("region"), .label(texts(ReportText.grid)), .tabindex(0)
        ) {
            table(.class("table table-fixed")) {
                thead {
                    tr {
                        th(.scope("col")) { texts(ProgressText.handout) }
                        th(.scope("col")) { texts(ProgressText.task) }
                        th(.scope("col")) { texts(ProgressText.result) }
                    }
                }
                tbody { for handout in content.handouts { rows(handout, content, visit) } }
            }
        }
    }

    @HTMLBuilder
    private static func rows(
        _ handout: WorkedHandout, _ content: Content, _ visit: Visit
    ) -> [HTML] {
        let count = handout.tasks.count
        for (index, task) in handout.tasks.enumerated() {
            tr {
                if index == 0 {
                    th(.scope("rowgroup"), Attribute("rowspan", count > 1 ? "\(count)" : nil)) {
                        a(.href("/handouts/\(handout.id)/students/\(content.student.id)"), .dirAuto)
                        {
                            handout.title
                        }
                        br()
                        span(.class("small soft")) {
                            handout.dueAt.map {
                                visit.texts(
                                    $0 < visit.now ? ClassText.wasDue : .due,
                                    ["when": visit.moment($0)])
                            } ?? visit.texts(ClassText.noDue)
                        }
                    }
                }
                td(.dirAuto) { task.title }
                td { task.work.cell(visit.texts) }
            }
        }
    }
}
