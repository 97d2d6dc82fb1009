import JSONBytes
import Values

enum TodayText: String, TextKey {
    case title, dueThisWeek, late, toReview, emptyTitle, emptyAdvice, done, review, lastDone, locked
    case insights, lookedAt

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
        let generatedAt: String

        init(_ overview: JSONValue, insights: JSONValue) {
            // Each handout stands once, where there is most to do about it.
            var shown: Set<String> = []
            func entries(_ name: String) -> [Entry] {
                (overview[name]?.array ?? []).compactMap { Entry($0) }
                    .filter { shown.insert($0.id).inserted }
            }
            toReview = entries("toReview")
            late = entries("late")
            dueThisWeek = entries("dueThisWeek")
            generatedAt = overview["generatedAt"]?.text ?? ""
            classes = (insights["classes"]?.array ?? []).map(CountedClass.init)
        }

        var handouts: [Entry] { toReview + late + dueThisWeek }

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
        /// Stands for the work to review.
        let digest: String?
        let studentsWithNewComments: Int

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
            digest = item["workDigest"]?.text
            studentsWithNewComments = Int(item["studentsWithNewComments"]?.int64 ?? 0)
        }
    }

    static func load(_ visit: Visit) async throws -> Content {
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
            if let id = visit.query("looked") { Review.undo(of: id, to: "/today", visit) }
            part(.toReview, content.toReview, content.generatedAt, visit)
            part(.late, content.late, content.generatedAt, visit)
            part(.dueThisWeek, content.dueThisWeek, content.generatedAt, visit)
            CountedClass.list(content.classes, visit)
        }
    }

    private static func part(
        _ title: TodayText, _ entries: [Entry], _ moment: String, _ visit: Visit
    ) -> HTML {
        guard !entries.isEmpty else { return .nothing }
        return section(.class("stack")) {
            h2(.id(title.rawValue)) { visit.texts(title) }
            ul(.class("list list-boxed list-link list-wraps"), .labelledBy(title.rawValue)) {
                for entry in entries {
                    li {
                        chip(entry.className, id: entry.classID)
                        div(.class("grow")) {
                            p {
                                a(.class("cover"), .href(path(title, entry)), .dirAuto) {
                                    entry.title
                                }
                            }
                            p(.class("small soft")) {
                                dotted([written(entry.className), .text(due(entry, visit))])
                            }
                        }
                        div(.class("wrap-end")) {
                            state(entry, isReview: title == .toReview, visit)
                            if title == .toReview, entry.studentsToReview > 0 {
                                lookedAt(entry, moment, visit)
                            }
                        }
                    }
                }
            }
        }
    }

    private static func path(_ title: TodayText, _ entry: Entry) -> LocalPath {
        title == .toReview ? "/handouts/\(entry.id)/review" : "/handouts/\(entry.id)"
    }

    /// The button that takes a handout off the list without a look at each student.
    private static func lookedAt(_ entry: Entry, _ moment: String, _ visit: Visit) -> HTML {
        postForm(visit, "/handouts/\(entry.id)/review/all") {
            input(.type("hidden"), .name("until"), .value(moment))
            input(.type("hidden"), .name("digest"), .value(entry.digest ?? ""))
            button(
                .class("button button-small"), .type("submit"),
                .label(visit.texts(TodayText.lookedAt, ["handout": entry.title]))
            ) { visit.texts(ReviewText.looked) }
        }
    }

    @HTMLBuilder
    private static func state(_ entry: Entry, isReview: Bool, _ visit: Visit) -> [HTML] {
        let texts = visit.texts
        if entry.isLocked { tag(texts(TodayText.locked), .locked, .warn) }
        if isReview {
            if entry.studentsToReview > 0 {
                tag(texts(TodayText.review, count: entry.studentsToReview), .info, .info)
            }
            if entry.studentsWithNewComments > 0 {
                tag(texts(TalkText.withNew, count: entry.studentsWithNewComments), .info, .info)
            }
            if let moment = entry.lastDoneAt {
                span(.class("small soft")) {
                    texts(TodayText.lastDone, ["when": visit.moment(moment)])
                }
            }
            entry.counts?.overdueTag(texts) ?? .nothing
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
