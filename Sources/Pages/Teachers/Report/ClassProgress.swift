import JSONBytes
import Values

enum ProgressText: String, TextKey {
    case from, to, emptyTitle, emptyAdvice, chart, chartHint, score, progress, finding, numbers
    case handout, task, doneColumn, done, doneOverdue, result, minutes, students, noStudents
    case period, work

    static let section = "progress"
}

/// `/classes/{id}/progress`: what a class comes to, handout by handout.
enum ClassProgress: Screen {
    static var pages: [Page] {
        [
            .show("/classes/{id}/progress", for: .teacher, load: load, render: view),
            .get("/classes/{id}/progress.csv", for: .teacher) { visit in
                .response(try await visit.table(path(visit)))
            },
        ]
    }

    struct Content: Sendable {
        let schoolClass: Side.SchoolClass?
        let handouts: [TaughtHandout]
        let generatedAt: Timestamp?
        let students: [HandoutReport.Student]
    }

    private static func path(_ visit: Visit) -> LocalPath {
        visit.inPeriod("/v1/classes/\(visit["id"])/report")
    }

    private static func load(_ visit: Visit) async throws -> Content {
        let id = visit["id"]
        async let asked = visit.api.get(path(visit))
        async let schoolClass = visit.api.get("/v1/classes/\(id)")
        async let roster = visit.api.get("/v1/classes/\(id)/students?limit=1000")
        let report = try await asked
        return try await Content(
            schoolClass: Side.SchoolClass(schoolClass),
            handouts: (report["handouts"]?.array ?? []).map { TaughtHandout($0) },
            generatedAt: report.moment("generatedAt"),
            students: (roster["items"]?.array ?? []).map(HandoutReport.Student.init(person:)))
    }

    private static func view(_ content: Content, _ visit: Visit) -> View {
        let texts = visit.texts
        let id = visit["id"]
        let name = content.schoolClass?.name ?? ""
        return View(name) {
            heading(name, below: written(content.schoolClass?.number ?? "")) {
                csvButton(visit.inPeriod("/classes/\(id)/progress.csv"), texts(ReportText.csv))
                printButton(texts)
            }
            classTabs(id, name, .progress, texts)
            periodFilter(visit)
            asOf(content.generatedAt, visit)
            if content.handouts.isEmpty {
                emptyBox(texts(ProgressText.emptyTitle), texts(ProgressText.emptyAdvice))
            } else {
                ProgressChart(content.handouts, visit).card
                handoutFigures(content.handouts, visit)
            }
            students(content.students, visit)
        }.printedAcross()
    }

    private static func students(_ students: [HandoutReport.Student], _ visit: Visit) -> HTML {
        let texts = visit.texts
        return section(.class("stack no-print")) {
            h2(.id("students")) { texts(ProgressText.students) }
            if students.isEmpty { p(.class("soft")) { texts(ProgressText.noStudents) } }
            ul(.class("columns"), .labelledBy("students")) {
                for student in students {
                    li {
                        a(.href("/classes/\(visit["id"])/students/\(student.id)"), .dirAuto) {
                            student.name
                        }
                    }
                }
            }
        }
    }
}

/// A table of what a class comes to in its handouts, task by task.
func handoutFigures(_ handouts: [TaughtHandout], _ visit: Visit) -> HTML {
    let texts = visit.texts
    let columns: [ProgressText] = [.handout, .task, .doneColumn, .result, .progress, .minutes]
    return section(.class("stack")) {
        h2(.id("numbers")) { texts(ProgressText.numbers) }
        div(.class("table-box"), .role("region"), .labelledBy("numbers"), .tabindex(0)) {
            table(.class("table table-fixed")) {
                thead { tr { for column in columns { th(.scope("col")) { texts(column) } } } }
                tbody { for handout in handouts { handout.rows(visit) } }
            }
        }
    }
}

/// From which day to which day, in the address.
func periodFilter(_ visit: Visit) -> HTML {
    let texts = visit.texts
    return getForm(
        visit.address.withoutQuery, .class("filter no-print"), .label(texts(ProgressText.period))
    ) {
        field(
            "from", label: texts(ProgressText.from), .type("date"), .value(visit.day("from")))
        field("to", label: texts(ProgressText.to), .type("date"), .value(visit.day("to")))
        button(.class("button"), .type("submit")) { texts(ClassText.apply) }
    }
}

extension Visit {
    /// The first day (`from`) or the last day (`to`) of a period in the query, whichever way round they were entered;
    /// `nil` unless it is a day.
    func day(_ name: String) -> String? {
        guard let day = query(name).flatMap({ Day($0) }) else { return nil }
        guard let other = query(name == "from" ? "to" : "from").flatMap({ Day($0) }) else {
            return day.description
        }
        return (name == "from" ? min(day, other) : max(day, other)).description
    }

    /// The query of the period, for calls and links.
    func inPeriod(_ path: LocalPath) -> LocalPath {
        path.with("from", day("from")).with("to", day("to"))
    }
}

extension HandoutReport.Student {
    /// From a list of people.
    init(person: JSONValue) {
        id = person["id"]?.text ?? ""
        name = FullName(person)?.text ?? ""
    }
}
