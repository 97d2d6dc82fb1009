import HTTPServer
import JSONBytes
import Values

enum ReportText: String, TextKey {
    case title, crumbs, csv, print, publishedOn, allDone, overdueCount, doneLateCount, updatedAt,
        reload
    case liveEnded
    case grid, spreads, show, showEveryone, showOpen, showLate, showAgain
    case student, students, sort, sortBy, average, withData, noData
    case notOpened, opened, finished, done, late, returned, tryAgain, progressOff, attempts
    case noStudents, nobodyShown, nobodyAdvice, legend, items
    case noteTitle, nothingYet, noteOff, noteMixed, noteNothing, noteWithdrawn, noteLicence
    case noteLimit, noteRemoved, beforeJoined, joinedCount
    case spreadScore, spreadQuantity, spreadResult, spreadProgress, asTable, result, mostCommon

    static let section = "report"
}

/// `/handouts/{id}`: what every student did at every task of a handout, with class averages.
enum Report: Screen {
    static var pages: [Page] {
        [
            .show("/handouts/{id}", for: .teacher, load: load, render: view),
            .get("/handouts/{id}/report.csv", for: .teacher) { visit in
                .response(try await visit.table("/v1/handouts/\(visit["id"])/report"))
            },
            .forScripts("/handouts/{id}/report/events", for: .teacher) { visit in
                let path: LocalPath = "/v1/handouts/\(visit["id"])/report/events"
                return .response(try await visit.events(path.with("after", visit.query("after"))))
            },
        ]
    }

    struct Content: Sendable {
        let handout: Handout?
        /// The ids of the tasks that are links.
        let links: Set<String>
        let report: HandoutReport
        let schoolClass: Side.SchoolClass?
    }

    private static func load(_ visit: Visit) async throws -> Content {
        let id = visit["id"]
        async let asked = visit.api.get("/v1/handouts/\(id)/report")
        let handout = try await visit.api.get("/v1/handouts/\(id)")
        async let schoolClass = visit.schoolClass(of: handout)
        return try await Content(
            handout: Handout(handout), links: links(handout), report: HandoutReport(asked),
            schoolClass: schoolClass)
    }

    private static func links(_ handout: JSONValue) -> Set<String> {
        Set(
            (handout["tasks"]?.array ?? []).filter { $0["kind"]?.text == "link" }
                .compactMap { $0["id"]?.text })
    }

    private static func view(_ content: Content, _ visit: Visit) -> View {
        let texts = visit.texts
        let report = content.report
        let choice = ReportChoice(visit, taskCount: report.tasks.count)
        let grid = ReportGrid(
            report: report, choice: choice, handoutID: visit["id"], links: content.links,
            visit: visit)
        return View(texts(ReportText.title, ["handout": report.title])) {
            head(content, visit)
            div(.livePart("notes")) {
                ReportNote.box(
                    report.notes,
                    tasks: Dictionary(
                        report.tasks.map { ($0.id, $0.title) },
                        uniquingKeysWith: { first, _ in first }),
                    off: (report.studentsOff, report.rows.count), texts)
            }
            div(.livePart("spreads")) { spreads(report, visit) }
            section(
                .class("stack"), .live(content, visit),
                Attribute("data-ended", texts(ReportText.liveEnded))
            ) {
                div(.class("row row-apart")) {
                    h2(.id("grid")) { texts(ReportText.grid) }
                    div(.livePart("updated"), .role("status")) { asOf(report.generatedAt, visit) }
                }
                div(.livePart("choice")) { choice.links(report.rows, visit) }
                div(.livePart("grid")) { grid.html }
                p(.class("small soft")) { texts(ReportText.legend) }
            }
        }.printedAcross()
    }

    private static func head(_ content: Content, _ visit: Visit) -> HTML {
        let texts = visit.texts
        let (report, handout) = (content.report, content.handout)
        return div {
            crumbs(content.schoolClass, handout: nil, texts)
            heading(
                report.title,
                below: dotted([
                    .text(report.due(visit)),
                    .text(
                        handout?.publishAt.map {
                            texts(ReportText.publishedOn, ["when": visit.moment($0)])
                        } ?? ""),
                ]),
                tags: parts {
                    if let state = handout?.state {
                        tag(texts(state.word), state.icon, state.tone)
                    }
                    span(.class("head-tags"), .livePart("tallies")) {
                        if !report.rows.isEmpty { tallies(report, texts) }
                    }
                }
            ) {
                a(.class("button"), .href("/handouts/\(visit["id"])/review")) {
                    texts(ReviewText.open)
                }
                a(.class("button"), .href("/handouts/\(visit["id"])/report.csv")) {
                    Icon.csv.html
                    texts(ReportText.csv)
                }
                printButton(texts)
                if let handout { HandoutActions.menu(handout, visit) }
            }
        }
    }

    @HTMLBuilder
    private static func tallies(_ report: HandoutReport, _ texts: Texts) -> [HTML] {
        tag(
            texts(
                ReportText.allDone,
                [
                    "n": texts.number(report.studentsDone),
                    "all": texts.number(report.studentsCounted),
                ]),
            .done, report.studentsDone == report.studentsCounted ? .good : .plain)
        let overdue = report.studentsOverdue
        if overdue > 0 {
            tag(texts(ReportText.overdueCount, ["n": texts.number(overdue)]), .late, .bad)
        }
        let doneLate = report.studentsDoneLate
        if doneLate > 0 {
            tag(texts(ReportText.doneLateCount, ["n": texts.number(doneLate)]), .late, .line)
        }
        let joined = report.rows.count - report.studentsCounted
        if joined > 0 {
            tag(
                texts(ReportText.joinedCount, ["n": texts.number(joined)]), .info, .line)
        }
    }

    /// How the students of each task are spread; folded where there are many tasks.
    private static func spreads(_ report: HandoutReport, _ visit: Visit) -> HTML {
        let texts = visit.texts
        let tasks = report.tasks.filter { $0.studentsWithData > 0 }
        guard !tasks.isEmpty else { return .nothing }
        return details(.class("fold"), Attribute("open", if: tasks.count <= 4)) {
            summary { h2 { texts(ReportText.spreads) } }
            ul(.class("grid")) {
                for task in tasks {
                    li(.class("card")) {
                        h3(.dirAuto) { task.title }
                        Distribution(task, texts).html(texts)
                        p(.class("card-foot no-print")) {
                            a(.href("/handouts/\(visit["id"])/tasks/\(task.id)/items")) {
                                texts(ReportText.items)
                            }
                        }
                    }
                }
            }
        }
    }
}

extension HandoutReport {
    func due(_ visit: Visit) -> String {
        guard let dueAt else { return visit.texts(ClassText.noDue) }
        return visit.texts(
            dueAt < visit.now ? ClassText.wasDue : .due, ["when": visit.moment(dueAt)])
    }
}

extension Attribute {
    /// A part that the script replaces when the report has changed.
    fileprivate static func livePart(_ name: StaticString) -> Attribute {
        Attribute("data-part", "\(name)")
    }

    /// Where the script hears of changes after the state that the page shows; nothing if the report cannot be followed.
    fileprivate static func live(_ content: Report.Content, _ visit: Visit) -> Attribute {
        guard let position = content.report.position else { return Attribute("data-live", nil) }
        let events: LocalPath = "/handouts/\(visit["id"])/report/events"
        return Attribute("data-live", events.with("after", position).text)
    }
}
