import JSONBytes

enum LibraryText: String, TextKey {
    case title, intro, emptyTitle, emptyAdvice, show, active, archived, copy, more

    static let section = "library"
}

/// `/library`: the handouts that a teacher wrote, in every class, to give them once more.
enum Library: Screen {
    static var pages: [Page] {
        [
            .show(
                "/library", for: .teacher, menu: MenuEntry(.bookmark, LibraryText.title),
                load: load, render: view)
        ]
    }

    struct Entry: Sendable {
        let handout: Handout
        let className: String
    }

    struct Content: Sendable {
        let entries: [Entry]
        let nextPage: String?
    }

    private static func load(_ visit: Visit) async throws -> Content {
        let me = visit.person?.id ?? ""
        let state = visit.query("state") == "archived" ? "archived" : nil
        let list = LocalPath("/v1/handouts?limit=100").with("state", state)
            .with("pageToken", visit.query("page"))
        async let classes = visit.api.get("/v1/classes?teacherId=\(me)&limit=200")
        async let page = visit.api.get(list)
        let names = try await Dictionary(
            (classes["items"]?.array ?? []).compactMap(Side.SchoolClass.init).map {
                ($0.id, $0.name)
            }
        ) { first, _ in first }
        let entries = try await (page["items"]?.array ?? [])
            .filter { $0["authorId"]?.text == me }
            .compactMap { item in
                Handout(item).map {
                    Entry(handout: $0, className: item["classId"]?.text.flatMap { names[$0] } ?? "")
                }
            }
        return Content(entries: entries, nextPage: try await page["nextPageToken"]?.text)
    }

    private static func view(_ content: Content, _ visit: Visit) -> View {
        let texts = visit.texts
        let isArchive = visit.query("state") == "archived"
        return View(texts(LibraryText.title)) {
            heading(texts(LibraryText.title), below: .text(texts(LibraryText.intro)))
            nav(.class("pills"), .label(texts(LibraryText.show))) {
                a(.href("/library"), .current(!isArchive, "true")) { texts(LibraryText.active) }
                a(.href("/library?state=archived"), .current(isArchive, "true")) {
                    texts(LibraryText.archived)
                }
            }
            if content.entries.isEmpty {
                emptyBox(texts(LibraryText.emptyTitle), texts(LibraryText.emptyAdvice))
            } else {
                ul(.class("list list-boxed list-wraps")) {
                    for entry in content.entries { li { row(entry, texts) } }
                }
            }
            if let next = content.nextPage {
                nav(.class("pages"), .label(texts(LibraryText.title))) {
                    a(
                        .class("button"), .rel("next"),
                        .href(
                            LocalPath("/library").with("state", visit.query("state"))
                                .with("page", next))
                    ) {
                        texts(LibraryText.more)
                        " "
                        Icon.next.html
                    }
                }
            }
        }
    }

    @HTMLBuilder
    private static func row(_ entry: Entry, _ texts: Texts) -> [HTML] {
        let handout = entry.handout
        div(.class("grow")) {
            p(.class("strong"), .dirAuto) { handout.title }
            p(.class("small soft")) {
                dotted([
                    written(entry.className),
                    .text(texts(ClassText.tasks, count: handout.taskCount)),
                ])
            }
        }
        div(.class("wrap-end")) {
            tag(texts(handout.state.word), handout.state.icon, handout.state.tone)
            a(.class("button"), .href("/handouts/\(handout.id)/copy")) {
                texts.html(
                    LibraryText.copy, ["title": span(.class("unseen")) { written(handout.title) }])
            }
        }
    }
}
