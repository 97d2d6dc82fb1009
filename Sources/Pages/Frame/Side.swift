import JSONBytes

/// What the side navigation lists beside the entries that pages declare.
struct Side: Sendable {
    struct SchoolClass: Sendable {
        let id: String
        let name: String
        /// What tells classes of the same name apart.
        let number: String?
    }

    let classes: [SchoolClass]
    /// News that the teacher has not seen.
    let unseenNews: Int

    /// Without what the API does not answer: the page itself will say so.
    init(_ visit: Visit) async {
        guard let person = visit.person, person.belongs(to: .teacher) else {
            classes = []
            unseenNews = 0
            return
        }
        async let page = try? visit.api.get("/v1/classes?teacherId=\(person.id)&limit=200")
        async let news = try? visit.api.get("/v1/me/news/seen")
        classes = (await page?["items"]?.array ?? []).compactMap(SchoolClass.init)
        unseenNews = Int(await news?["unseenCount"]?.int64 ?? 0)
    }
}

extension Side.SchoolClass {
    init?(_ item: JSONValue) {
        guard let id = item["id"]?.text, let name = item["name"]?.text else { return nil }
        self.id = id
        self.name = item["displayName"]?.text ?? name
        number = item["number"]?.text
    }
}

extension Frame {
    func navigation(_ side: Side) -> HTML {
        nav(
            .class("side"), .id("side"), Attribute("popover"), .label(texts(CommonText.menu))
        ) {
            button(
                .class("button button-plain bar-menu"), .type("button"),
                Attribute("popovertarget", "side"), Attribute("popovertargetaction", "hide")
            ) {
                Icon.cross.html
                texts(CommonText.closeMenu)
            }
            for audiences in Self.groups { entries(for: audiences, side) }
            if !side.classes.isEmpty {
                h2 { texts(CommonText.myClasses) }
                ul(.class("plain")) {
                    for item in side.classes { li { classLink(item) } }
                }
            }
        }
    }

    private static let groups: [[Audience]] = [
        [.teacher], [.student],
        [.manager, .peopleManager, .directoryManager, .licenceManager, .administrator],
    ]

    private func entries(for audiences: [Audience], _ side: Side) -> HTML {
        let pages = Screens.menu.filter { page in
            audiences.contains(page.audience) && visit.person?.belongs(to: page.audience) == true
        }
        guard !pages.isEmpty else { return .nothing }
        return ul(.class("plain")) {
            for page in pages {
                if let entry = page.menu {
                    li {
                        a(.href(LocalPath(page: page)), .current(page.path == path)) {
                            entry.icon.html
                            entry.text(texts)
                            count(entry.count(side))
                        }
                    }
                }
            }
        }
    }

    private func count(_ count: Int) -> HTML {
        guard count > 0 else { return .nothing }
        return span(.class("count tag tag-info")) {
            texts(NewsText.unseenCount, ["n": count > 99 ? "99+" : texts.number(count)])
        }
    }

    private func classLink(_ item: Side.SchoolClass) -> HTML {
        let isHere = Array(visit.segments.prefix(2)) == ["classes", item.id]
        return a(.href("/classes/\(item.id)"), .current(isHere)) {
            chip(item.name, id: item.id)
            span {
                written(item.name)
                if let number = item.number { small { written(number) } }
            }
        }
    }
}

extension LocalPath {
    /// The path of a page without parameters.
    fileprivate init(page: Page) { self.init(own: page.path) }
}
