import JSONBytes

enum CourseText: String, TextKey {
    case title, intro, new, name, number, location, sourceID, make, save, errorTitle
    case remove, removeTitle, removeDoes, inUse, emptyTitle, emptyAdvice, nameLabel, classes
    case noticeMade, noticeSaved, noticeRemoved

    static let section = "course"
}

/// `/school/courses`: the subjects of the classes.
enum CoursePages: Screen {
    static var pages: [Page] {
        [
            .show(
                "/school/courses", for: .manager, menu: MenuEntry(.bookmark, CourseText.title),
                load: load, render: view)
        ] + editor.pages
    }

    private static let editor = RecordEditor(
        path: "/school/courses", api: "/v1/courses", kind: "course", audience: .directoryManager,
        words: { texts in
            RecordEditor.Words(
                list: texts(CourseText.title), new: texts(CourseText.new),
                make: texts(CourseText.make), save: texts(CourseText.save),
                errorTitle: texts(CourseText.errorTitle), remove: texts(CourseText.remove),
                removeTitle: texts(CourseText.removeTitle),
                removeDoes: texts(CourseText.removeDoes), inUse: texts(CourseText.inUse))
        },
        notices: (
            Notice(CourseText.noticeMade), Notice(CourseText.noticeSaved),
            Notice(CourseText.noticeRemoved)
        ),
        fields: { visit in
            let texts = visit.texts
            let locations = try await Locations.load(visit.api)
            return [
                RecordField(id: "name", label: texts(CourseText.name), isRequired: true),
                RecordField(id: "number", label: texts(CourseText.number)),
                RecordField(
                    id: "locationId", label: texts(CourseText.location),
                    control: .choice(locations.options), isRequired: true),
                RecordField(id: "sourceId", label: texts(CourseText.sourceID)),
            ]
        })

    struct Content: Sendable {
        let items: [JSONValue]
        let locations: Locations
        let next: String?
    }

    private static func load(_ visit: Visit) async throws -> Content {
        async let page = visit.api.get(
            LocalPath("/v1/courses?limit=50").with("q", visit.query("q"))
                .with("locationId", visit.query("location"))
                .with("pageToken", visit.query("page")))
        async let locations = Locations.load(visit.api)
        return try await Content(
            items: page["items"]?.array ?? [], locations: locations,
            next: page["nextPageToken"]?.text)
    }

    private static func view(_ content: Content, _ visit: Visit) -> View {
        let texts = visit.texts
        let changes = visit.person?.belongs(to: .directoryManager) == true
        return View(texts(CourseText.title)) {
            heading(texts(CourseText.title), below: .text(texts(CourseText.intro))) {
                if changes {
                    a(.class("button button-main"), .href("/school/courses/new")) {
                        Icon.plus.html
                        texts(CourseText.new)
                    }
                }
            }
            Console.search("/school/courses", label: texts(CourseText.nameLabel), visit)
            if content.items.isEmpty {
                emptyBox(texts(CourseText.emptyTitle), texts(CourseText.emptyAdvice))
            } else {
                Console.table(
                    texts(CourseText.title),
                    head: [CourseText.name, .number, .location, .classes].map {
                        Console.column(texts($0))
                    }
                ) {
                    for item in content.items { row(item, content.locations, changes, texts) }
                }
            }
            PageTrail(visit).links(
                LocalPath("/school/courses").with("q", visit.query("q")), next: content.next, texts)
        }
    }

    private static func row(
        _ item: JSONValue, _ locations: Locations, _ changes: Bool, _ texts: Texts
    ) -> HTML {
        let id = item["id"]?.text ?? ""
        let name = item["name"]?.text ?? ""
        return tr {
            th(.scope("row")) {
                if changes {
                    a(.href("/school/courses/\(id)/edit"), .dirAuto) { name }
                } else {
                    written(name)
                }
            }
            td { (item["number"]?.text).map(written) ?? .nothing }
            td { written(item["locationId"]?.text.flatMap { locations.name($0) } ?? "") }
            td {
                a(.href(LocalPath("/school/classes").with("course", id))) {
                    texts(CourseText.classes)
                    span(.class("unseen")) { ": \(name)" }
                }
            }
        }
    }
}
