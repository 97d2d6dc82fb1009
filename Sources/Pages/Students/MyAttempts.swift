import JSONBytes
import Values

enum MyAttemptsText: String, TextKey {
    case latest, between, items, next, none

    static let section = "myAttempts"
}

/// `/progress/{id}`: every attempt at the tasks of a handout, with its answers and figures.
enum MyAttempts: Screen {
    static var pages: [Page] {
        [
            .show("/progress/{id}", for: .student) { visit in
                try await visit.api.get(
                    LocalPath("/v1/me/handouts/\(visit["id"])/attempts?limit=100")
                        .with("pageToken", visit.query("page")))
            } render: { report, visit in
                view(report, visit)
            }
        ]
    }

    private static func view(_ report: JSONValue, _ visit: Visit) -> View {
        let texts = visit.texts
        let title = report["handout"]?["title"]?.text ?? ""
        return View(title) {
            div {
                studentPath(texts, [("/progress", texts(MyProgressText.title))])
                heading(title, below: .text(due(report, visit)))
            }
            if report["student"]?["progressOff"]?.bool == true {
                notice(.plain, .off) {
                    h2 { texts(MyProgressText.off) }
                    p { texts(MyProgressText.offNote) }
                }
            }
            div(.class("stack reading")) {
                for task in report["tasks"]?.array ?? [] {
                    section(.class("card")) { card(task, visit) }
                }
            }
            if let next = report["nextPageToken"]?.text {
                nav(.class("pages"), .label(texts(MyAttemptsText.next))) {
                    a(
                        .class("button"), .rel("next"),
                        .href(LocalPath("/progress/\(visit["id"])").with("page", next))
                    ) {
                        texts(MyAttemptsText.next)
                        " "
                        Icon.next.html
                    }
                }
            }
        }
    }

    private static func due(_ report: JSONValue, _ visit: Visit) -> String {
        guard let due = report["handout"]?.moment("dueAt") else {
            return visit.texts(WorkText.noDue)
        }
        return visit.texts(
            due < visit.now ? MyHandoutText.wasDue : .due, ["when": visit.moment(due)])
    }

    @HTMLBuilder
    private static func card(_ task: JSONValue, _ visit: Visit) -> [HTML] {
        let texts = visit.texts
        let state = MyState(task)
        let attempts = task["attempts"]?.array ?? []
        div(.class("row row-apart")) {
            h2(.dirAuto) { task["title"]?.text ?? "" }
            // The page of the handout says that it is closed; this one shows only what was done.
            div(.class("row")) { state.tags(isClosed: true, texts) }
        }
        if let returned = state.returned { MyHandoutPage.returnNote(returned, state, visit) }
        if attempts.isEmpty {
            p(.class("soft")) { texts(MyAttemptsText.none) }
        } else {
            ul(.class("attempts")) {
                for attempt in attempts.reversed() { li { self.attempt(attempt, visit) } }
            }
        }
    }

    @HTMLBuilder
    private static func attempt(_ attempt: JSONValue, _ visit: Visit) -> [HTML] {
        let texts = visit.texts
        let isLatest = attempt["isFinal"]?.bool == false
        let figures = MyFigures(attempt)
        let items =
            [attempt["primaryItem"]].compactMap(\.self)
            + (attempt["additionalItems"]?.array ?? [])
        div(.class("row")) {
            h3 { time(attempt, visit) }
            if isLatest { tag(texts(MyAttemptsText.latest), .info, .info) }
        }
        MyHandoutPage.progressMeter(figures.progress) {
            dotted([
                figures.item?.sentence(texts) ?? .nothing,
                .text(figures.progress.map(texts.percent) ?? ""),
                .text(
                    figures.seconds.map { texts.duration(seconds: Int($0.rounded())) } ?? ""),
            ])
        }
        let shown = items.compactMap(MyItem.init)
        if !shown.isEmpty {
            details(.class("fold"), Attribute("open", if: isLatest)) {
                summary { texts(MyAttemptsText.items, count: shown.count) }
                ul(.class("list")) { for item in shown { li { row(item, texts) } } }
            }
        }
    }

    /// `Thu 19 Nov, 16:21 to 16:39`.
    private static func time(_ attempt: JSONValue, _ visit: Visit) -> String {
        guard let start = attempt.moment("startedAt") else { return "" }
        guard let stop = attempt.moment("stoppedAt"),
            visit.local(stop).day == visit.local(start).day
        else { return visit.moment(start) }
        return visit.texts(
            MyAttemptsText.between,
            ["start": visit.moment(start), "end": visit.texts.time(visit.local(stop))])
    }

    @HTMLBuilder
    private static func row(_ item: MyItem, _ texts: Texts) -> [HTML] {
        span(.class("grow"), .dirAuto) { item.title }
        switch item.isRight {
        case true?:
            Icon.done.html
            strong(.class("good")) { item.word(texts) }
        case false?:
            Icon.cross.html
            strong(.class("bad")) { item.word(texts) }
        case nil: strong(.class("number")) { item.word(texts) }
        }
    }
}
