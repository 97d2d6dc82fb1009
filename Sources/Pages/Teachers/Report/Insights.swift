import JSONBytes
import Values

enum InsightText: String, TextKey {
    case tab, range, earlier, later, running, about, noneDueTitle, noneDueAdvice, fewTitle
    case fewAdvice, nothingTitle, nothingAdvice, rulesTitle, rules, off
    case nothingDone, fellBehind, spedUp
    case begunNone, done, late, early, time

    static let section = "insights"
}

/// `/classes/{id}/insights`: how a week of the class compares with each student's weeks before.
enum Insights: Screen {
    static var pages: [Page] {
        [.show("/classes/{id}/insights", for: .teacher, load: load, render: view)]
    }

    struct Content: Sendable {
        let schoolClass: Side.SchoolClass?
        let from: Day
        let to: Day
        let isOver: Bool
        let generatedAt: Timestamp?
        let weeksBefore: Int
        let handouts: [(id: String, title: String)]
        let students: [StudentInsight]
        let isSomeoneOff: Bool
    }

    private static func load(_ visit: Visit) async throws -> Content {
        let id = visit["id"]
        // A week that has not come shows this one.
        let day = visit.query("week").flatMap { Day($0) }.map { min($0, visit.today) }
        async let asked = insights(day, visit)
        async let schoolClass = visit.api.get("/v1/classes/\(id)")
        var answer = try await asked
        if day == nil, answer["handouts"]?.array?.isEmpty == true {
            // Nothing was due yet: the week that is over says more.
            let lastWeek = Day(daysSince1970: visit.today.daysSince1970 - 7)
            answer = try await insights(lastWeek, visit)
        }
        let week = answer["week"]
        return try await Content(
            schoolClass: Side.SchoolClass(schoolClass),
            from: week?["from"]?.text.flatMap { Day($0) } ?? visit.today,
            to: week?["to"]?.text.flatMap { Day($0) } ?? visit.today,
            isOver: week?["over"]?.bool ?? false,
            generatedAt: answer.moment("generatedAt"),
            weeksBefore: answer["weeksBefore"]?.int64.map { Int($0) } ?? 0,
            handouts: (answer["handouts"]?.array ?? []).map {
                (id: $0["id"]?.text ?? "", title: $0["title"]?.text ?? "")
            },
            students: (answer["students"]?.array ?? []).compactMap(StudentInsight.init),
            isSomeoneOff: (answer["notes"]?.array ?? []).contains {
                $0["code"]?.text == "progress_off"
            })
    }

    private static func insights(_ day: Day?, _ visit: Visit) async throws -> JSONValue {
        try await visit.api.get(
            LocalPath("/v1/classes/\(visit["id"])/insights").with("week", day?.description))
    }

    private static func view(_ content: Content, _ visit: Visit) -> View {
        let texts = visit.texts
        let name = content.schoolClass?.name ?? ""
        return View(name) {
            heading(name, below: written(content.schoolClass?.number ?? "")) {
                printButton(texts)
            }
            classTabs(visit["id"], name, .insights, texts)
            week(content, visit)
            asOf(content.generatedAt, visit)
            if let (title, advice) = absence(content) {
                emptyBox(texts(title), texts(advice))
            }
            for finding in StudentInsight.Finding.allCases {
                list(finding, content.students.filter { $0.finding == finding }, visit)
            }
            if content.isSomeoneOff { p(.class("small soft")) { texts(InsightText.off) } }
            details(.class("fold no-print")) {
                summary { texts(InsightText.rulesTitle) }
                p(.class("reading")) { texts(InsightText.rules) }
            }
        }
    }

    /// Which week it is, what was due in it, and the way to the weeks beside it.
    private static func week(_ content: Content, _ visit: Visit) -> HTML {
        let texts = visit.texts
        return div(.class("stack")) {
            nav(.class("pages"), .label(texts(InsightText.tab))) {
                a(.class("button"), .rel("prev"), .href(link(content.from, -7, visit))) {
                    Icon.previous.html
                    texts(InsightText.earlier)
                }
                if content.isOver {
                    a(.class("button"), .rel("next"), .href(link(content.from, 7, visit))) {
                        texts(InsightText.later)
                        Icon.next.html
                    }
                }
            }
            h2 {
                texts(
                    InsightText.range,
                    [
                        "from": texts.day(content.from, today: visit.today),
                        "to": texts.day(content.to, today: visit.today),
                    ])
            }
            if !content.isOver { p(.class("soft")) { texts(InsightText.running) } }
            if !content.handouts.isEmpty {
                p {
                    texts.html(
                        InsightText.about,
                        [
                            "handouts": texts.list(
                                content.handouts.map { handout in
                                    a(.href("/handouts/\(handout.id)"), .dirAuto) { handout.title }
                                })
                        ])
                }
            }
        }
    }

    private static func link(_ day: Day, _ days: Int, _ visit: Visit) -> LocalPath {
        let other = Day(daysSince1970: day.daysSince1970 + days)
        return visit.address.withoutQuery.with("week", other.description)
    }

    /// Why there is nothing to say.
    private static func absence(_ content: Content) -> (InsightText, InsightText)? {
        guard content.students.isEmpty else { return nil }
        if content.handouts.isEmpty { return (.noneDueTitle, .noneDueAdvice) }
        return content.weeksBefore < 2 ? (.fewTitle, .fewAdvice) : (.nothingTitle, .nothingAdvice)
    }

    private static func list(
        _ finding: StudentInsight.Finding, _ students: [StudentInsight], _ visit: Visit
    ) -> HTML {
        guard !students.isEmpty else { return .nothing }
        return section(.class("stack")) {
            h2(.id(finding.rawValue)) { visit.texts(finding.title, count: students.count) }
            ul(.class("list list-boxed list-link"), .labelledBy(finding.rawValue)) {
                for student in students {
                    li {
                        div(.class("grow")) {
                            p {
                                a(
                                    .class("cover"),
                                    .href("/classes/\(visit["id"])/students/\(student.student.id)"),
                                    .dirAuto
                                ) { student.student.name }
                            }
                            for fact in student.facts {
                                p { student.sentence(on: fact, visit.texts) }
                            }
                        }
                    }
                }
            }
        }
    }
}
