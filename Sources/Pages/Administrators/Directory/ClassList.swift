import JSONBytes

enum SchoolClassText: String, TextKey {
    case title, intro, new, name, number, displayName, displayNameHint, room, location, course
    case noCourse, term, noTerm, sourceID, make, save, errorTitle, errorClosed
    case remove, removeTitle, removeDoes, inUse, emptyTitle, emptyAdvice, nameLabel
    case status, anyStatus, active, archived, anyTerm, teachers, students
    case noticeMade, noticeSaved, noticeRemoved

    static let section = "schoolClass"
}

/// `/school/classes`: every class of the school.
enum ClassList: Screen {
    static var pages: [Page] {
        [
            .show(
                "/school/classes", for: .manager, menu: MenuEntry(.classes, SchoolClassText.title),
                load: load, render: view)
        ] + editor.pages
    }

    private static let editor = RecordEditor(
        path: "/school/classes", api: "/v1/classes", kind: "class", audience: .peopleManager,
        words: { texts in
            RecordEditor.Words(
                list: texts(SchoolClassText.title), new: texts(SchoolClassText.new),
                make: texts(SchoolClassText.make), save: texts(SchoolClassText.save),
                errorTitle: texts(SchoolClassText.errorTitle),
                remove: texts(SchoolClassText.remove),
                removeTitle: texts(SchoolClassText.removeTitle),
                removeDoes: texts(SchoolClassText.removeDoes), inUse: texts(SchoolClassText.inUse))
        },
        notices: (
            Notice(SchoolClassText.noticeMade), Notice(SchoolClassText.noticeSaved),
            Notice(SchoolClassText.noticeRemoved)
        ), fields: fields,
        reasons: { ["term_closed": $0(SchoolClassText.errorClosed)] }, hasPage: true)

    @Sendable private static func fields(_ visit: Visit) async throws -> [RecordField] {
        let texts = visit.texts
        async let locations = Locations.load(visit.api)
        async let courses = named("/v1/courses", visit)
        async let terms = named("/v1/terms?status=open", visit)
        return try await [
            RecordField(id: "name", label: texts(SchoolClassText.name), isRequired: true),
            RecordField(id: "number", label: texts(SchoolClassText.number)),
            RecordField(
                id: "displayName", label: texts(SchoolClassText.displayName),
                hint: texts(SchoolClassText.displayNameHint)),
            RecordField(id: "room", label: texts(SchoolClassText.room)),
            RecordField(
                id: "locationId", label: texts(SchoolClassText.location),
                control: .choice(locations.options), isRequired: true),
            RecordField(
                id: "courseId", label: texts(SchoolClassText.course),
                control: .choice([("", texts(SchoolClassText.noCourse))] + courses)),
            RecordField(
                id: "termId", label: texts(SchoolClassText.term),
                control: .choice([("", texts(SchoolClassText.noTerm))] + terms)),
            RecordField(id: "sourceId", label: texts(SchoolClassText.sourceID)),
        ]
    }

    /// Records to choose one of, by name.
    private static func named(
        _ path: LocalPath, _ visit: Visit
    ) async throws -> [(value: String, text: String)] {
        try await Console.all(path, visit.api).compactMap {
            item -> (value: String, text: String)? in
            guard let id = item["id"]?.text, let name = item["name"]?.text else { return nil }
            return (id, name)
        }.sorted { $0.text < $1.text }
    }

    struct Content: Sendable {
        let items: [JSONValue]
        let locations: Locations
        let terms: [(value: String, text: String)]
        let next: String?
    }

    private static func load(_ visit: Visit) async throws -> Content {
        async let page = visit.api.get(
            LocalPath("/v1/classes?limit=50").with("q", visit.query("q"))
                .with("locationId", visit.query("location")).with("termId", visit.query("term"))
                .with("courseId", visit.query("course")).with("status", visit.query("status"))
                .with("pageToken", visit.query("page")))
        async let locations = Locations.load(visit.api)
        async let terms = named("/v1/terms", visit)
        return try await Content(
            items: page["items"]?.array ?? [], locations: locations, terms: terms,
            next: page["nextPageToken"]?.text)
    }

    private static func view(_ content: Content, _ visit: Visit) -> View {
        let texts = visit.texts
        return View(texts(SchoolClassText.title)) {
            heading(texts(SchoolClassText.title), below: .text(texts(SchoolClassText.intro))) {
                if visit.person?.belongs(to: .peopleManager) == true {
                    a(.class("button button-main"), .href("/school/classes/new")) {
                        Icon.plus.html
                        texts(SchoolClassText.new)
                    }
                }
            }
            filter(content, visit)
            if content.items.isEmpty {
                emptyBox(texts(SchoolClassText.emptyTitle), texts(SchoolClassText.emptyAdvice))
            } else {
                table(content, texts)
            }
            PageTrail(visit).links(address(visit), next: content.next, texts)
        }
    }

    /// The first page with the same filters.
    private static func address(_ visit: Visit) -> LocalPath {
        LocalPath("/school/classes").with("q", visit.query("q"))
            .with("location", visit.query("location")).with("term", visit.query("term"))
            .with("course", visit.query("course")).with("status", visit.query("status"))
    }

    private static func filter(_ content: Content, _ visit: Visit) -> HTML {
        let texts = visit.texts
        return getForm(
            "/school/classes", .class("filter no-print"), .role("search"),
            .label(texts(SchoolClassText.title))
        ) {
            if let course = visit.query("course") {
                input(.type("hidden"), .name("course"), .value(course))
            }
            div(.class("field field-grow")) {
                label(.for("q")) { texts(SchoolClassText.nameLabel) }
                input(
                    .class("input"), .id("q"), .name("q"), .type("search"), .autocomplete("off"),
                    Attribute("maxlength", "256"), .value(visit.query("q")))
            }
            if content.locations.all.count > 1 {
                Console.choice(
                    "location", label: texts(SchoolClassText.location),
                    [("", texts(PeopleText.anyLocation))] + content.locations.options,
                    chosen: visit.query("location") ?? "")
            }
            if !content.terms.isEmpty {
                Console.choice(
                    "term", label: texts(SchoolClassText.term),
                    [("", texts(SchoolClassText.anyTerm))] + content.terms,
                    chosen: visit.query("term") ?? "")
            }
            Console.choice(
                "status", label: texts(SchoolClassText.status),
                [
                    ("", texts(SchoolClassText.anyStatus)),
                    ("active", texts(SchoolClassText.active)),
                    ("archived", texts(SchoolClassText.archived)),
                ], chosen: visit.query("status") ?? "")
            button(.class("button button-main"), .type("submit")) {
                Icon.search.html
                texts(ConsoleText.search)
            }
        }
    }

    private static func table(_ content: Content, _ texts: Texts) -> HTML {
        Console.table(
            texts(SchoolClassText.title),
            head: [
                Console.column(texts(SchoolClassText.name)),
                Console.column(texts(SchoolClassText.number)),
                Console.column(texts(SchoolClassText.location)),
                Console.column(texts(SchoolClassText.teachers), "end"),
                Console.column(texts(SchoolClassText.students), "end"),
                Console.column(texts(SchoolClassText.status)),
            ]
        ) {
            for item in content.items {
                tr {
                    th(.scope("row")) {
                        a(.href("/school/classes/\(item["id"]?.text ?? "")"), .dirAuto) {
                            item["displayName"]?.text ?? item["name"]?.text ?? ""
                        }
                    }
                    td { (item["number"]?.text).map(written) ?? .nothing }
                    td {
                        written(
                            item["locationId"]?.text.flatMap { content.locations.name($0) } ?? "")
                    }
                    td(.class("end number")) { texts.number(item["teacherIds"]?.array?.count ?? 0) }
                    td(.class("end number")) { texts.number(item["studentIds"]?.array?.count ?? 0) }
                    td { state(item, texts) }
                }
            }
        }
    }

    static func state(_ item: JSONValue, _ texts: Texts) -> HTML {
        item["status"]?.text == "archived"
            ? tag(texts(SchoolClassText.archived), .completed, .line)
            : tag(texts(SchoolClassText.active), .done, .good)
    }
}
