import HTTPWire
import JSONBytes
import Values

enum NewsText: String, TextKey {
    case title, intro, unseen, unseenCount, markSeen, emptyTitle, emptyAdvice
    case finished, allFinished, doneAgain, posted, postedByNobody, scheduledPosted, joined, left
    case more, announcement, announcementByNobody, noticeSeen

    static let section = "news"
}

/// `/news`: what happened lately in a teacher's classes.
enum News: Screen {
    static var pages: [Page] {
        [
            .show(
                "/news", for: .teacher,
                menu: MenuEntry(.published, NewsText.title, count: { $0.unseenNews })
            ) { visit in
                let page = try await visit.api.get(
                    LocalPath("/v1/me/news?limit=50").with("pageToken", visit.query("page")))
                return Content(
                    items: (page["items"]?.array ?? []).compactMap { Item($0) },
                    next: page["nextPageToken"]?.text)
            } render: { content, visit in
                view(content, visit)
            },
            .post("/news", for: .teacher) { form, visit in
                try await visit.api.put(
                    "/v1/me/news/seen", ["position": .text(form["position"])])
                return .redirect("/news", notice: Notice(NewsText.noticeSeen))
            },
        ]
    }

    struct Content: Sendable {
        let items: [Item]
        let next: String?
    }

    /// Something that happened.
    struct Item: Sendable {
        let kind: NewsText
        let moment: Timestamp
        let isUnseen: Bool
        let classID: String
        let className: String
        let handoutID: String
        let handoutTitle: String
        let excerpt: String
        let author: JSONValue?
        let studentCount: Int
        let students: [JSONValue]

        /// `nil` for a kind that a newer version knows.
        init?(_ item: JSONValue) {
            guard let kind = item["kind"]?.text.flatMap(NewsText.init(rawValue:)),
                let moment = item.moment("at"), let classID = item["classId"]?.text
            else { return nil }
            self.kind = kind
            self.moment = moment
            self.classID = classID
            isUnseen = item["unseen"]?.bool == true
            className = item["className"]?.text ?? ""
            handoutID = item["handoutId"]?.text ?? ""
            handoutTitle = item["handoutTitle"]?.text ?? ""
            excerpt = item["excerpt"]?.text ?? ""
            author = item["author"]
            studentCount = Int(item["studentCount"]?.int64 ?? 0)
            students = item["students"]?.array ?? []
        }

        var icon: Icon {
            switch kind {
            case .allFinished: .completed
            case .doneAgain: .returned
            case .posted: .published
            case .scheduledPosted: .scheduled
            case .joined, .left: .people
            case .announcement: .info
            default: .done
            }
        }

        /// Where there is more about it.
        var path: LocalPath {
            switch kind {
            case .joined, .left: "/classes/\(classID)/roster"
            case .announcement: "/classes/\(classID)/announcements"
            default: "/handouts/\(handoutID)"
            }
        }
    }

    // MARK: The page

    private static func view(_ content: Content, _ visit: Visit) -> View {
        let texts = visit.texts
        return View(texts(NewsText.title)) {
            heading(texts(NewsText.title), below: .text(texts(NewsText.intro))) {
                // Only the first page has the newest item.
                if visit.query("page") == nil, let newest = content.items.first, newest.isUnseen {
                    postForm(visit, "/news") {
                        input(
                            .type("hidden"), .name("position"),
                            .value(newest.moment.description))
                        button(.class("button"), .type("submit")) {
                            Icon.done.html
                            texts(NewsText.markSeen)
                        }
                    }
                }
            }
            if content.items.isEmpty {
                emptyBox(texts(NewsText.emptyTitle), texts(NewsText.emptyAdvice))
            } else {
                ul(.class("list list-boxed list-link list-wraps"), .label(texts(NewsText.title))) {
                    for item in content.items { row(item, visit) }
                }
            }
            PageTrail(visit).links("/news", next: content.next, texts)
        }
    }

    private static func row(_ item: Item, _ visit: Visit) -> HTML {
        let texts = visit.texts
        return li {
            chip(item.className, id: item.classID)
            div(.class("grow")) {
                p {
                    item.icon.html
                    " "
                    a(.class("cover"), .href(item.path)) { sentence(item, texts) }
                }
                p(.class("small soft")) {
                    dotted([written(item.className), .text(visit.moment(item.moment))])
                }
            }
            if item.isUnseen {
                div(.class("wrap-end")) { tag(texts(NewsText.unseen), .info, .info) }
            }
        }
    }

    private static func sentence(_ item: Item, _ texts: Texts) -> HTML {
        let handout = written(item.handoutTitle)
        let author = FullName(item.author).map { written($0.text) }
        switch item.kind {
        case .posted:
            guard let author else {
                return texts.html(NewsText.postedByNobody, ["handout": handout])
            }
            return texts.html(NewsText.posted, ["name": author, "handout": handout])
        case .announcement:
            let text = written(item.excerpt)
            guard let author else {
                return texts.html(NewsText.announcementByNobody, ["text": text])
            }
            return texts.html(NewsText.announcement, ["name": author, "text": text])
        case .joined, .left:
            return texts.html(
                item.kind, count: item.studentCount, ["names": names(item, texts)])
        case .finished, .doneAgain:
            return texts.html(item.kind, count: item.studentCount, ["handout": handout])
        default: return texts.html(item.kind, ["handout": handout])
        }
    }

    /// The students that the item names, and how many more there are.
    private static func names(_ item: Item, _ texts: Texts) -> HTML {
        var names = item.students.compactMap { FullName($0) }.map { written($0.text) }
        let more = item.studentCount - names.count
        if more > 0 { names.append(.text(texts(NewsText.more, count: more))) }
        return texts.list(names)
    }
}
