import JSONBytes

enum PrivilegesText: String, TextKey {
    case title, intro, teachersTitle, teachersIntro, place, whole
    case makeClasses, makeClassesHint, resetPasswords, resetPasswordsHint, grantAt
    case save, noticeSaved
    case rolesTitle, role, does, doesAdministrator, doesSiteManager, doesPeopleManager
    case doesContentManager, doesManager, doesTeacher, doesStaff, doesStudent

    static let section = "privileges"
}

/// `/school/privileges`: what each role does, and what the school grants its teachers at which location.
enum PrivilegesPage: Screen {
    static var pages: [Page] {
        [
            .show(
                "/school/privileges", for: .administrator,
                menu: MenuEntry(.shield, PrivilegesText.title), load: load, render: view),
            .post("/school/privileges", for: .administrator, save)
                .changing(.setting("privilegeChange", byID: false, comparesFirst: true)),
        ]
    }

    /// What can be granted, in the order of the columns.
    private static let columns: [(name: String, title: PrivilegesText, hint: PrivilegesText)] = [
        ("makeClasses", .makeClasses, .makeClassesHint),
        ("resetPasswords", .resetPasswords, .resetPasswordsHint),
    ]

    private static let roles: [(RoleText, PrivilegesText)] = [
        (.administrator, .doesAdministrator), (.siteManager, .doesSiteManager),
        (.peopleManager, .doesPeopleManager), (.contentManager, .doesContentManager),
        (.manager, .doesManager), (.teacher, .doesTeacher), (.staff, .doesStaff),
        (.student, .doesStudent),
    ]

    struct Setting: Sendable {
        let name: String
        /// `nil` for the whole organization.
        let locationID: String?
        let isGranted: Bool
        let isInherited: Bool

        /// The value of its box.
        var id: String { locationID ?? "all" }

        init?(_ item: JSONValue) {
            guard let name = item["privilege"]?.text else { return nil }
            self.name = name
            locationID = item["locationId"]?.text
            isGranted = item["granted"]?.bool == true
            isInherited = item["inherited"]?.bool == true
        }
    }

    struct Content: Sendable {
        let settings: [Setting]
        let locations: [(id: String, name: String)]

        /// A school with one location sets everything for the whole of it, unless someone did otherwise.
        var shownLocations: [(id: String, name: String)] {
            let isPlain = settings.allSatisfy { $0.locationID == nil || $0.isInherited }
            return locations.count == 1 && isPlain ? [] : locations
        }

        func isGranted(_ name: String, at id: String) -> Bool {
            settings.contains { $0.name == name && $0.id == id && $0.isGranted }
        }
    }

    private static func load(_ visit: Visit) async throws -> Content {
        async let settings = visit.api.get("/v1/privileges")
        async let locations = Console.all("/v1/locations", visit.api)
        return try await Content(
            settings: (settings["items"]?.array ?? []).compactMap(Setting.init),
            locations: locations.compactMap { item in
                guard let id = item["id"]?.text, let name = item["name"]?.text else { return nil }
                return (id, name)
            })
    }

    // MARK: Saving

    /// Sets what differs from what the page showed. A location whose box is changed to what holds in the whole
    /// organization has no setting of its own any more.
    private static func save(_ form: Form, _ visit: Visit) async throws -> Answer {
        for (name, _, _) in columns {
            let before = Set(form.all("was-\(name)"))
            let after = Set(form.all(name))
            let isForAll = after.contains("all")
            for id in before.symmetricDifference(after).sorted() {
                let path: LocalPath = "/v1/privileges/\(name)"
                let isGranted = after.contains(id)
                if id == "all" {
                    try await visit.api.put(path, ["granted": .bool(isGranted)])
                } else if isGranted == isForAll {
                    try await visit.api.delete("/v1/privileges/\(name)/locations/\(id)")
                } else {
                    try await visit.api.put(
                        "/v1/privileges/\(name)/locations/\(id)", ["granted": .bool(isGranted)])
                }
            }
        }
        return .redirect("/school/privileges", notice: Notice(PrivilegesText.noticeSaved))
    }

    // MARK: The page

    private static func view(_ content: Content, _ visit: Visit) -> View {
        let texts = visit.texts
        return View(texts(PrivilegesText.title)) {
            heading(texts(PrivilegesText.title), below: .text(texts(PrivilegesText.intro)))
            h2 { texts(PrivilegesText.teachersTitle) }
            p(.class("reading")) { texts(PrivilegesText.teachersIntro) }
            editForm(visit, "/school/privileges", version: "", .class("stack")) {
                dl(.class("card facts reading")) {
                    for column in columns {
                        Console.fact(texts(column.title), .text(texts(column.hint)))
                    }
                }
                matrix(content, texts)
                p {
                    button(.class("button button-main"), .type("submit")) {
                        texts(PrivilegesText.save)
                    }
                }
            }
            h2 { texts(PrivilegesText.rolesTitle) }
            rolesTable(texts)
        }
    }

    private static func matrix(_ content: Content, _ texts: Texts) -> HTML {
        Console.table(
            texts(PrivilegesText.teachersTitle),
            head: [Console.column(texts(PrivilegesText.place))]
                + columns.map { Console.column(texts($0.title)) }
        ) {
            row("all", texts(PrivilegesText.whole), content, texts)
            for location in content.shownLocations {
                row(location.id, location.name, content, texts)
            }
        }
    }

    private static func row(
        _ id: String, _ name: String, _ content: Content, _ texts: Texts
    ) -> HTML {
        tr {
            th(.scope("row"), .dirAuto) { name }
            for column in columns {
                let isGranted = content.isGranted(column.name, at: id)
                td {
                    label(.class("choice")) {
                        input(
                            .type("checkbox"), .name(column.name), .value(id), .checked(isGranted))
                        span(.class("unseen")) {
                            texts(
                                PrivilegesText.grantAt,
                                ["privilege": texts(column.title), "place": name])
                        }
                    }
                    if isGranted {
                        input(.type("hidden"), .name("was-\(column.name)"), .value(id))
                    }
                }
            }
        }
    }

    private static func rolesTable(_ texts: Texts) -> HTML {
        Console.table(
            texts(PrivilegesText.rolesTitle),
            head: [
                Console.column(texts(PrivilegesText.role)),
                Console.column(texts(PrivilegesText.does)),
            ]
        ) {
            for (role, does) in roles {
                tr {
                    th(.scope("row")) { texts(role) }
                    td { texts(does) }
                }
            }
        }
    }
}
