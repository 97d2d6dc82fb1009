import JSONBytes
import Values

enum MyProgressText: String, TextKey {
    case title, below, classLabel, allClasses, since, weeks, year, everything, apply
    case inTime, inTimeOf, time, timeNote, off, offNote
    case caption, task, due, state, progress, result, effort, emptyTitle, emptyAdvice

    static let section = "myProgress"
}

/// `/progress`: what the student did, task by task.
enum MyProgress: Screen {
    static var pages: [Page] {
        [
            .show(
                "/progress", for: .student, menu: MenuEntry(.chart, MyProgressText.title),
                load: load, render: view)
        ]
    }

    struct Content: Sendable {
        let handouts: [Reported]
        let isOff: Bool
        /// The tasks whose app has yet to report something; a link never will.
        let silentTasks: Set<String>
    }

    struct Task: Sendable {
        let id: String
        let title: String
        let state: MyState
        let figures: MyFigures

        init(_ task: JSONValue) {
            id = task["taskId"]?.text ?? ""
            title = task["title"]?.text ?? ""
            state = MyState(task)
            figures = MyFigures(task)
        }
    }

    /// A handout in the report.
    struct Reported: Sendable {
        let id: String
        let title: String
        let classID: String
        let className: String
        let dueAt: Timestamp?
        let isClosed: Bool
        let tasks: [Task]

        init(_ handout: JSONValue) {
            id = handout["handoutId"]?.text ?? ""
            title = handout["title"]?.text ?? ""
            classID = handout["classId"]?.text ?? ""
            className = handout["className"]?.text ?? ""
            dueAt = handout.moment("dueAt")
            isClosed = handout.moment("lockedAt") != nil || handout.moment("completedAt") != nil
            tasks = (handout["tasks"]?.array ?? []).map(Task.init)
        }
    }

    /// How far back the page looks; the first is what it shows unasked.
    private enum Reach: String, CaseIterable {
        case weeks, year, everything

        var title: MyProgressText {
            switch self {
            case .weeks: .weeks
            case .year: .year
            case .everything: .everything
            }
        }

        var days: Int? {
            switch self {
            case .weeks: 56
            case .year: 365
            case .everything: nil
            }
        }

        init(_ visit: Visit) { self = visit.query("since").flatMap(Reach.init) ?? .weeks }
    }

    private static func load(_ visit: Visit) async throws -> Content {
        let first = Reach(visit).days.map { Day(daysSince1970: visit.today.daysSince1970 - $0) }
        let report = try await visit.api.get(
            LocalPath("/v1/me/report").with("from", first?.description))
        return Content(
            handouts: (report["handouts"]?.array ?? []).map(Reported.init),
            isOff: report["student"]?["progressOff"]?.bool ?? false,
            silentTasks: Set(
                (report["notes"]?.array ?? []).filter { $0["code"]?.text == "nothing_reported" }
                    .compactMap { $0["taskId"]?.text }))
    }

    private static func view(_ content: Content, _ visit: Visit) -> View {
        let texts = visit.texts
        let chosen = visit.query("class")
        let shown = content.handouts.filter { chosen == nil || $0.classID == chosen }
        return View(texts(MyProgressText.title)) {
            heading(texts(MyProgressText.title), below: .text(texts(MyProgressText.below))) {
                a(.class("button"), .href("/grades")) { texts(GradesText.title) }
            }
            if content.isOff {
                notice(.plain, .off) {
                    h2 { texts(MyProgressText.off) }
                    p { texts(MyProgressText.offNote) }
                }
            }
            filter(content.handouts, visit)
            if shown.isEmpty {
                emptyBox(texts(MyProgressText.emptyTitle), texts(MyProgressText.emptyAdvice))
            } else {
                cards(shown, texts)
                list(shown, content.silentTasks, visit)
            }
        }
    }

    private static func filter(_ handouts: [Reported], _ visit: Visit) -> HTML {
        let texts = visit.texts
        let names = Dictionary(handouts.map { ($0.classID, $0.className) }) { first, _ in first }
        return getForm(
            "/progress", .class("filter no-print"), .role("search"),
            .label(texts(MyProgressText.title))
        ) {
            div(.class("field")) {
                label(.for("class")) { texts(MyProgressText.classLabel) }
                selectTag(.class("input"), .id("class"), .name("class")) {
                    option(.value("")) { texts(MyProgressText.allClasses) }
                    for (id, name) in names.sorted(by: { ($0.value, $0.key) < ($1.value, $1.key) })
                    {
                        option(.value(id), .selected(id == visit.query("class")), .dirAuto) { name }
                    }
                }
            }
            div(.class("field")) {
                label(.for("since")) { texts(MyProgressText.since) }
                selectTag(.class("input"), .id("since"), .name("since")) {
                    for reach in Reach.allCases {
                        option(.value(reach.rawValue), .selected(reach == Reach(visit))) {
                            texts(reach.title)
                        }
                    }
                }
            }
            button(.class("button"), .type("submit")) { texts(MyProgressText.apply) }
        }
    }

    /// Two sums over what the page shows.
    private static func cards(_ handouts: [Reported], _ texts: Texts) -> HTML {
        let tasks = handouts.flatMap(\.tasks)
        let counted = tasks.filter { !$0.state.isBeforeJoined }
        let inTime = counted.count { $0.state.doneAt != nil && !$0.state.isLate }
        let over = counted.count { $0.state.doneAt != nil || $0.state.isLate }
        let seconds = tasks.compactMap(\.figures.seconds).reduce(0, +)
        return ul(.class("grid")) {
            if over > 0 {
                li(.class("card")) {
                    p(.class("soft")) { texts(MyProgressText.inTime) }
                    p(.class("figure-l")) {
                        texts(
                            MyProgressText.inTimeOf, count: over, ["done": texts.number(inTime)])
                    }
                    progress(.value("\(inTime)"), Attribute("max", "\(over)"), .hidden)
                }
            }
            li(.class("card")) {
                p(.class("soft")) { texts(MyProgressText.time) }
                p(.class("figure-l")) { texts.duration(seconds: Int(seconds.rounded())) }
                p(.class("small soft")) { texts(MyProgressText.timeNote) }
            }
        }
    }

    private static func list(
        _ handouts: [Reported], _ silentTasks: Set<String>, _ visit: Visit
    ) -> HTML {
        let texts = visit.texts
        let columns: [MyProgressText] = [.task, .due, .state, .progress, .result, .effort]
        return div(
            .class("table-box"), .role("region"), .labelledBy("caption"), .tabindex(0)
        ) {
            table(.class("table table-fixed")) {
                caption(.id("caption")) { texts(MyProgressText.caption) }
                thead { tr { for column in columns { th(.scope("col")) { texts(column) } } } }
                tbody {
                    for handout in handouts {
                        for task in handout.tasks {
                            row(task, of: handout, isSilent: silentTasks.contains(task.id), visit)
                        }
                    }
                }
            }
        }
    }

    private static func row(
        _ task: Task, of handout: Reported, isSilent: Bool, _ visit: Visit
    ) -> HTML {
        let texts = visit.texts
        let figures = task.figures
        return tr {
            th(.scope("row")) {
                a(.href("/progress/\(handout.id)"), .dirAuto) { task.title }
                br()
                span(.class("small soft")) {
                    dotted([
                        task.title == handout.title ? .nothing : written(handout.title),
                        written(handout.className),
                    ])
                }
            }
            td(.class("number")) {
                handout.dueAt.map { texts.day(visit.local($0).day, today: visit.today) } ?? ""
            }
            td { task.state.tags(isClosed: handout.isClosed, texts) }
            td(.class("wide")) {
                if let share = figures.progress {
                    MyHandoutPage.progressMeter(share) { texts.percent(share) }
                } else if isSilent {
                    span(.class("soft")) { texts(MyFiguresText.nothing) }
                }
            }
            td(.class("number")) { figures.item?.sentence(texts) ?? .nothing }
            td(.class("number")) { if figures.attempts > 0 { figures.effort(texts) } }
        }
    }
}
