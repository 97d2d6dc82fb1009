import JSONBytes

/// `/apps`: what the school bought, and how much of it is left.
enum AppList: Screen {
    static var pages: [Page] {
        [
            .show(
                "/apps", for: .licenceManager, menu: MenuEntry(.apps, AppsText.title), load: load,
                render: view)
        ]
    }

    struct Content: Sendable {
        let apps: [SchoolApp]
        let locations: Locations
        /// For whom an app is being chosen.
        let holder: Holder?
        let next: String?
    }

    private static func load(_ visit: Visit) async throws -> Content {
        async let page = visit.api.get(
            LocalPath("/v1/apps?limit=100").with("worksWithSchoolwork", visit.query("works"))
                .with("locationId", visit.query("location"))
                .with("pageToken", visit.query("page")))
        async let locations = Locations.load(visit.api)
        async let holder = Holder.load(visit)
        return try await Content(
            apps: (page["items"]?.array ?? []).compactMap { SchoolApp($0) }, locations: locations,
            holder: holder, next: page["nextPageToken"]?.text)
    }

    private static func view(_ content: Content, _ visit: Visit) -> View {
        let texts = visit.texts
        return View(texts(AppsText.title)) {
            heading(texts(AppsText.title), below: .text(texts(AppsText.intro))) {
                a(.class("button button-main"), .href("/apps/new")) {
                    Icon.plus.html
                    texts(AppsText.new)
                }
            }
            if let holder = content.holder {
                notice(.info, .info) { p { holder.sentence(texts) } }
            }
            filter(content.locations, visit)
            if content.apps.isEmpty {
                emptyBox(texts(AppsText.emptyTitle), texts(AppsText.emptyAdvice))
            } else {
                table(content, texts)
            }
            PageTrail(visit).links(address(visit), next: content.next, texts)
        }
    }

    private static func address(_ visit: Visit) -> LocalPath {
        LocalPath("/apps").with("works", visit.query("works"))
            .with("location", visit.query("location")).with("person", visit.query("person"))
            .with("class", visit.query("class"))
    }

    private static func filter(_ locations: Locations, _ visit: Visit) -> HTML {
        let texts = visit.texts
        return getForm(
            "/apps", .class("filter no-print"), .role("search"), .label(texts(AppsText.title))
        ) {
            for name in ["person", "class"] {
                if let id = visit.query(name) {
                    input(.type("hidden"), .name(name), .value(id))
                }
            }
            Console.choice(
                "works", label: texts(AppsText.worksFilter),
                [
                    ("", texts(AppsText.any)), ("true", texts(AppsText.works)),
                    ("false", texts(AppsText.worksNot)),
                ], chosen: visit.query("works") ?? "")
            if locations.all.count > 1 {
                Console.choice(
                    "location", label: texts(PoolText.location),
                    [("", texts(PeopleText.anyLocation))] + locations.options,
                    chosen: visit.query("location") ?? "")
            }
            button(.class("button button-main"), .type("submit")) {
                Icon.search.html
                texts(ConsoleText.search)
            }
        }
    }

    private static func table(_ content: Content, _ texts: Texts) -> HTML {
        Console.table(
            texts(AppsText.title),
            head: [
                Console.column(texts(AppsText.name)), Console.column(texts(AppsText.kind)),
                Console.column(texts(AppsText.bought), "end"),
                Console.column(texts(AppsText.held), "end"),
                Console.column(texts(AppsText.free), "end"),
                Console.column(texts(AppsText.waiting)),
            ]
        ) {
            for app in content.apps { row(app, content.holder, texts) }
        }
    }

    private static func row(_ app: SchoolApp, _ holder: Holder?, _ texts: Texts) -> HTML {
        tr {
            th(.scope("row")) {
                a(.href(holder?.path(of: app) ?? "/apps/\(app.id)"), .dirAuto) { app.name }
            }
            td {
                tag(
                    texts(app.isBook ? AppsText.book : .app), app.isBook ? .bookmark : .apps, .line)
                if app.works {
                    " "
                    tag(texts(AppsText.works), .done, .good)
                }
            }
            td(.class("end number")) { texts.number(app.bought) }
            td(.class("end number")) { texts.number(app.held) }
            td(.class("end number")) {
                if app.free == 0, app.bought > 0 {
                    tag(texts(PoolText.empty), .late, .warn)
                } else {
                    texts.number(app.free)
                }
            }
            td {
                if app.waiting > 0 {
                    a(.href("/apps/\(app.id)")) { texts(PoolText.waiting, count: app.waiting) }
                }
            }
        }
    }
}

/// Who is to get an app, where the way leads from a person or a class to the apps.
struct Holder: Sendable {
    /// `person` or `class`.
    let kind: String
    let id: String
    let name: String
    /// Of a person.
    let managedID: String?

    static func load(_ visit: Visit) async throws -> Holder? {
        if let id = visit.query("person") {
            let item = try await visit.api.get("/v1/people/\(id)")
            guard let person = DirectoryPerson(item) else { return nil }
            return Holder(
                kind: "person", id: id, name: person.name, managedID: person.managedID)
        }
        guard let id = visit.query("class") else { return nil }
        let item = try await visit.api.get("/v1/classes/\(id)")
        return Holder(
            kind: "class", id: id, name: item["displayName"]?.text ?? item["name"]?.text ?? "",
            managedID: nil)
    }

    func sentence(_ texts: Texts) -> HTML {
        texts.html(
            kind == "person" ? AppsText.forPerson : .forClass, ["name": written(name)])
    }

    func path(of app: SchoolApp) -> LocalPath {
        LocalPath("/apps/\(app.id)").with("person", kind == "person" ? id : nil)
            .with("class", kind == "class" ? id : nil)
    }
}
