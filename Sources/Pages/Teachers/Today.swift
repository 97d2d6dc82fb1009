import JSONBytes
import Values

enum TodayText: String, TextKey {
    case title, dueThisWeek, late, toReview, emptyTitle, emptyAdvice, done, review, lastDone, locked
    case insights

    static let section = "today"
}

/// `/today`: what needs a teacher now, over all classes.
enum Today: Screen {
    static var pages: [Page] {
        [
            .show(
                "/today", for: .teacher, menu: MenuEntry(.home, TodayText.title), load: load,
                render: view)
        ]
    }

    struct Content: Sendable {
        let dueThisWeek: [Entry]
        let late: [Entry]
        let toReview: [Entry]
        let classes: [CountedClass]

        init(_ overview: JSONValue, insights: JSONValue) {
            func entries(_ name: String) -> [Entry] {
                (overview[name]?.array ?? []).compactMap { Entry($0) }
            }
            dueThisWeek = entries("dueThisWeek")
            late = entries("late")
            toReview = entries("toReview")
            classes = (insights["classes"]?.array ?? []).map(CountedClass.init)
        }

        var isEmpty: Bool {
            dueThisWeek.isEmpty && late.isEmpty && toReview.isEmpty && classes.isEmpty
        }
    }

    /// A handout.
    struct Entry: Sendable {
        let id: String
        let title: String
        let classID: String
        let className: String
        let dueAt: Timestamp?
        let isLocked: Bool
        let counts: Handout.Counts?
        let studentsToReview: Int
        let lastDoneAt: Timestamp?

        init?(_ item: JSONValue) {
            guard let id = item["id"]?.text, let title = item["title"]?.text else { return nil }
            self.id = id
            self.title = title
            classID = item["classId"]?.text ?? ""
            className = item["className"]?.text ?? ""
            dueAt = item.moment("dueAt")
            isLocked = item["locked"]?.bool ?? false
            counts = Handout.Counts(item["counts"])
            studentsToReview = item["studentsToReview"]?.int64.map { Int($0) } ?? 0
            lastDoneAt = item.moment("lastDoneAt")
        }
    }

    private static func load(_ visit: Visit) async throws -> Content {
        async let overview = visit.api.get("/v1/me/overview")
        async let insights = visit.api.get("/v1/me/insights")
        return try await Content(overview, insights: insights)
    }

    private static func view(_ content: Content, _ visit: Visit) -> View {
        let texts = visit.texts
        return View(texts(TodayText.title)) {
            heading(texts(TodayText.title), below: .text(texts.longDay(visit.today)))
            if content.isEmpty {
                emptyBox(texts(TodayText.emptyTitle), texts(TodayText.emptyAdvice))
            }
            part(.toReview, content.toReview, visit)
            part(.late, content.late, visit)
            part(.dueThisWeek, content.dueThisWeek, visit)
            CountedClass.list(content.classes, visit)
        }
    }

    private static func part(_ title: TodayText, _ entries: [Entry], _ visit: Visit) -> HTML {
        guard !entries.isEmpty else { return .nothing }
        return section(.class("stack")) {
            h2(.id(title.rawValue)) { visit.texts(title) }
            ul(.class("list list-boxed list-link list-wraps"), .labelledBy(title.rawValue)) {
                for entry in entries {
                    li {
                        chip(entry.className, id: entry.classID)
                        div(.class("grow")) {
                            p {
                                a(.class("cover"), .href("/handouts/\(entry.id)"), .dirAuto) {
                                    entry.title
                                }
                            }
                            p(.class("small soft")) {
                                dotted([written(entry.className), .text(due(entry, visit))])
                            }
                        }
                        div(.class("wrap-end")) {
                            state(entry, isReview: title == .toReview, visit)
                        }
                    }
                }
            }
        }
    }

    @HTMLBuilder
    private static func state(_ entry: Entry, isReview: Bool, _ visit: Visit) -> [HTML] {
        let texts = visit.texts
        if entry.isLocked { tag(texts(TodayText.locked), .locked, .warn) }
        if isReview {
            tag(texts(TodayText.review, count: entry.studentsToReview), .info, .info)
            if let moment = entry.lastDoneAt {
                span(.class("small soft")) {
                    texts(TodayText.lastDone, ["when": visit.moment(moment)])
                }
            }
        } else if let counts = entry.counts {
            span(.class("number")) { counts.words(texts) }
            counts.overdueTag(texts)
        }
    }

    private static func due(_ entry: Entry, _ visit: Visit) -> String {
        guard let due = entry.dueAt else { return visit.texts(ClassText.noDue) }
        return visit.texts(
            due < visit.now ? ClassText.wasDue : .due, ["when": visit.moment(due)])
    }
}
