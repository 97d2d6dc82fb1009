import JSONBytes
import Values

enum WorkText: String, TextKey {
    case title, allClasses, classes
    case overdue, today, week, later, noDue, completed
    case tasksDone, emptyTitle, emptyAdvice, whenYouLike, doneOn
    case tagNew, tagOpened, tagDone, tagOverdue, tagReturned, tagTryAgain, tagNotOpened
    case beforeJoined, tagBeforeJoined

    static let section = "work"
}

/// `/my-work`: what a student has to do, by due time.
enum Work: Screen {
    static var pages: [Page] {
        [
            .show(
                "/my-work", for: .student, menu: MenuEntry(.done, WorkText.title), load: load,
                render: view)
        ]
    }

    struct Content: Sendable {
        let pieces: [Piece]
        let announcements: MyAnnouncements
    }

    /// The API lists one assignment for each task; the page shows one line for each handout. Of too many, what is due
    /// first is what counts.
    private static func load(_ visit: Visit) async throws -> Content {
        async let upcoming = visit.api.get(
            "/v1/me/assignments?state=upcoming&order=due&limit=1000")
        async let completed = visit.api.get("/v1/me/assignments?state=completed&limit=200")
        async let announcements = MyAnnouncements.load(visit)
        let items = try await [upcoming, completed].flatMap { $0["items"]?.array ?? [] }
        return Content(pieces: Piece.grouped(items), announcements: try await announcements)
    }

    private static func view(_ content: Content, _ visit: Visit) -> View {
        let texts = visit.texts
        let pieces = content.pieces
        let names = Dictionary(pieces.map { ($0.classID, $0.className) }) { first, _ in first }
        let chosen = visit.query("class")
        let shown = pieces.filter { chosen == nil || $0.classID == chosen }
        let open = shown.filter { !$0.isDone }
        let done = shown.filter(\.isDone)
        return View(texts(WorkText.title)) {
            heading(texts(WorkText.title), below: .text(texts.longDay(visit.today)))
            classFilter(names, chosen, texts)
            content.announcements.list(chosen: chosen, names: names, visit)
            if open.isEmpty { emptyBox(texts(WorkText.emptyTitle), texts(WorkText.emptyAdvice)) }
            for group in Group.allCases {
                let items = open.filter { group.holds($0, visit) }
                    .sorted { ($0.dueAt ?? $0.sortAt) < ($1.dueAt ?? $1.sortAt) }
                if !items.isEmpty {
                    section(.class("stack")) {
                        h2(.id(group.rawValue)) { texts(group.title) }
                        list(items, visit, labelledBy: group.rawValue)
                    }
                }
            }
            if !done.isEmpty {
                // What is written about finished work must not be missed.
                let isNew = done.contains { $0.newComments > 0 }
                details(.class("fold"), Attribute("open", if: isNew)) {
                    summary {
                        h2(.id("completed")) { texts(WorkText.completed) }
                        span(.class("tag")) { texts.number(done.count) }
                    }
                    list(done, visit, labelledBy: "completed")
                }
            }
        }
    }

    /// When something is due, in the order of the page.
    private enum Group: String, CaseIterable {
        case overdue, today, week, later, noDue, beforeJoined

        var title: WorkText {
            switch self {
            case .overdue: .overdue
            case .today: .today
            case .week: .week
            case .later: .later
            case .noDue: .noDue
            case .beforeJoined: .beforeJoined
            }
        }

        func holds(_ piece: Piece, _ visit: Visit) -> Bool {
            if piece.isBeforeJoined { return self == .beforeJoined }
            guard let due = piece.dueAt else { return self == .noDue }
            if piece.isLate { return self == .overdue }
            // A teacher gave it to a student for whom its due time does not count.
            if due < visit.now { return self == .noDue }
            let days = visit.local(due).day.daysSince1970 - visit.today.daysSince1970
            let group: Group = days <= 0 ? .today : days <= 7 ? .week : .later
            return self == group
        }
    }

    private static func classFilter(
        _ names: [String: String], _ chosen: String?, _ texts: Texts
    ) -> HTML {
        guard names.count > 1 else { return .nothing }
        return nav(.class("pills"), .label(texts(WorkText.classes))) {
            a(.href("/my-work"), .current(chosen == nil, "true")) { texts(WorkText.allClasses) }
            for (id, name) in names.sorted(by: { ($0.value, $0.key) < ($1.value, $1.key) }) {
                a(.href("/my-work?class=\(id)"), .current(chosen == id, "true"), .dirAuto) { name }
            }
        }
    }

    private static func list(_ items: [Piece], _ visit: Visit, labelledBy id: String) -> HTML {
        ul(.class("list list-boxed list-link list-wraps"), .labelledBy(id)) {
            for piece in items { li { row(piece, visit) } }
        }
    }

    @HTMLBuilder
    private static func row(_ piece: Piece, _ visit: Visit) -> [HTML] {
        let texts = visit.texts
        chip(piece.className, id: piece.classID)
        if let picture = piece.picture { ContextPicture.html(picture) }
        div(.class("grow")) {
            p { a(.class("cover"), .href("/my-work/\(piece.handoutID)"), .dirAuto) { piece.title } }
            p(.class("small soft")) {
                dotted([written(piece.className), piece.teachers.names(texts)])
            }
            if piece.taskCount > 1, !piece.isDone {
                p(.class("small")) {
                    texts(
                        WorkText.tasksDone, count: piece.taskCount,
                        ["done": texts.number(piece.doneCount)])
                }
            }
        }
        div(.class("wrap-end")) {
            tags(piece, texts)
            span(.class("small soft")) { due(piece, visit) }
        }
    }

    @HTMLBuilder
    private static func tags(_ piece: Piece, _ texts: Texts) -> [HTML] {
        if piece.newComments > 0 {
            tag(texts(TalkText.new, count: piece.newComments), .info, .info)
        }
        if piece.isDone {
            tag(texts(WorkText.tagDone), .done, .good)
        } else {
            if piece.isLate { tag(texts(WorkText.tagOverdue), .late, .bad) }
            if piece.asksAgain {
                tag(texts(WorkText.tagTryAgain), .returned, .warn)
            } else if piece.isReturned {
                tag(texts(WorkText.tagReturned), .returned, .warn)
            }
            if piece.isBeforeJoined {
                tag(texts(WorkText.tagBeforeJoined), .info, .line)
            } else if !piece.isLate, !piece.isReturned {
                if piece.isOpened {
                    tag(texts(WorkText.tagOpened), .opened, .info)
                } else {
                    tag(texts(WorkText.tagNew), .unopened)
                }
            }
        }
    }

    private static func due(_ piece: Piece, _ visit: Visit) -> String {
        if let done = piece.doneAt, piece.isDone {
            let day = visit.texts.day(visit.local(done).day, today: visit.today)
            return visit.texts(WorkText.doneOn, ["day": day])
        }
        guard let due = piece.dueAt, due >= visit.now || piece.isLate || piece.isBeforeJoined else {
            return visit.texts(WorkText.whenYouLike)
        }
        return visit.moment(due)
    }
}
