import JSONBytes

enum PeopleText: String, TextKey {
    case title, new, name, nameLabel, managedID, role, location, status
    case anyRole, anyLocation, anyStatus, onlyPaused, emptyTitle, emptyAdvice, grade

    static let section = "people"
}

/// `/people`: everyone in the directory.
enum People: Screen {
    static var pages: [Page] {
        [
            .show(
                "/people", for: .manager, menu: MenuEntry(.people, PeopleText.title), load: load,
                render: view)
        ]
    }

    struct Content: Sendable {
        let people: [DirectoryPerson]
        let locations: Locations
        let next: String?
    }

    private static func load(_ visit: Visit) async throws -> Content {
        let words = visit.query("q")
        // Names have no such sign.
        let isManagedID = words?.contains("@") == true
        let path = LocalPath("/v1/people?limit=50&order=name")
            .with("q", isManagedID ? nil : words)
            .with("managedId", isManagedID ? words : nil)
            .with("role", visit.query("role"))
            .with("locationId", visit.query("location"))
            .with("status", visit.query("status"))
            .with("progressPaused", visit.query("paused"))
            .with("pageToken", visit.query("page"))
        async let page = visit.api.get(path)
        async let locations = Locations.load(visit.api)
        return try await Content(
            people: (page["items"]?.array ?? []).compactMap { DirectoryPerson($0) },
            locations: locations, next: page["nextPageToken"]?.text)
    }

    private static func view(_ content: Content, _ visit: Visit) -> View {
        let texts = visit.texts
        return View(texts(PeopleText.title)) {
            heading(texts(PeopleText.title)) {
                if visit.person?.belongs(to: .peopleManager) == true {
                    if visit.schoolUsesPasswords {
                        a(.class("button"), .href("/people/sheets")) {
                            Icon.print.html
                            texts(SheetsText.title)
                        }
                    }
                    a(.class("button button-main"), .href("/people/new")) {
                        Icon.plus.html
                        texts(PeopleText.new)
                    }
                }
            }
            filter(content.locations, visit)
            if content.people.isEmpty {
                emptyBox(texts(PeopleText.emptyTitle), texts(PeopleText.emptyAdvice))
            } else {
                Console.table(
                    texts(PeopleText.title),
                    head: [
                        PeopleText.name, .managedID, .role, .location, .status,
                    ].map { Console.column(texts($0)) }
                ) { for person in content.people { row(person, content.locations, texts) } }
            }
            PageTrail(visit).links(address(visit), next: content.next, texts)
        }
    }

    /// The first page with the same filters.
    private static func address(_ visit: Visit) -> LocalPath {
        LocalPath("/people").with("q", visit.query("q")).with("role", visit.query("role"))
            .with("location", visit.query("location")).with("status", visit.query("status"))
            .with("paused", visit.query("paused"))
    }

    private static func filter(_ locations: Locations, _ visit: Visit) -> HTML {
        let texts = visit.texts
        let roles: [RoleText] = RoleText.allCases.reversed()
        return getForm(
            "/people", .class("filter no-print"), .role("search"), .label(texts(PeopleText.title))
        ) {
            div(.class("field field-grow")) {
                label(.for("q")) { texts(PeopleText.nameLabel) }
                input(
                    .class("input"), .id("q"), .name("q"), .type("search"), .autocomplete("off"),
                    Attribute("maxlength", "256"), .value(visit.query("q")))
            }
            Console.choice(
                "role", label: texts(PeopleText.role),
                [("", texts(PeopleText.anyRole))] + roles.map { ($0.rawValue, texts($0)) },
                chosen: visit.query("role") ?? "")
            if locations.all.count > 1 {
                Console.choice(
                    "location", label: texts(PeopleText.location),
                    [("", texts(PeopleText.anyLocation))] + locations.options,
                    chosen: visit.query("location") ?? "")
            }
            Console.choice(
                "status", label: texts(PeopleText.status),
                [("", texts(PeopleText.anyStatus))]
                    + PersonStatusText.allCases.map { ($0.rawValue, texts($0)) },
                chosen: visit.query("status") ?? "")
            label(.class("choice")) {
                input(
                    .type("checkbox"), .name("paused"), .value("true"),
                    .checked(visit.query("paused") == "true"))
                span { texts(PeopleText.onlyPaused) }
            }
            button(.class("button button-main"), .type("submit")) {
                Icon.search.html
                texts(ConsoleText.search)
            }
        }
    }

    private static func row(
        _ person: DirectoryPerson, _ locations: Locations, _ texts: Texts
    ) -> HTML {
        tr {
            th(.scope("row")) {
                a(.href("/people/\(person.id)"), .dirAuto) { person.name }
            }
            td(.class("code")) { written(person.managedID) }
            td { roles(person, texts) }
            td { written(person.locationNames(locations, texts)) }
            td { person.status?.shown(texts) ?? .nothing }
        }
    }

    /// Such as `Student, grade 7`.
    static func roles(_ person: DirectoryPerson, _ texts: Texts) -> HTML {
        let names = person.roleNames(texts)
        guard let grade = person["grade"] else { return .text(names) }
        return texts.html(PeopleText.grade, ["roles": .text(names), "grade": written(grade)])
    }
}
