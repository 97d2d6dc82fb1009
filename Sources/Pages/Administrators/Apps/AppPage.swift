import JSONBytes
import Values

/// `/apps/{id}`: one app, its licences at each location, and who holds them.
enum AppPage: Screen {
    static var pages: [Page] {
        [
            .get("/apps/{id}", for: .licenceManager) { visit in
                .view(view(try await load(visit), AppForms(), visit))
            }
        ]
    }

    struct Content: Sendable {
        let app: SchoolApp
        let locations: Locations
        let pools: [Pool]
        let licences: [Licence]
        let next: String?
        /// Whose licences alone are shown, or for whom one is to be given.
        let holder: Holder?
        let classes: [(value: String, text: String)]
    }

    /// A licence and the name of its holder.
    struct Licence: Sendable {
        let id: String
        let locationID: String
        let person: DirectoryPerson?
        let serialNumber: String?
        let since: Timestamp?
    }

    static func load(_ visit: Visit) async throws -> Content {
        let id = visit["id"]
        async let app = SchoolApp.load(visit)
        async let locations = Locations.load(visit.api)
        async let pools = Pool.all(of: id, visit)
        async let holder = Holder.load(visit)
        async let classes = visit.api.get("/v1/classes?status=active&limit=1000")
        async let page = visit.api.get(
            LocalPath("/v1/apps/\(id)/licences?limit=25").with("personId", visit.query("person"))
                .with("pageToken", visit.query("page")))
        let licences = try await named(page["items"]?.array ?? [], visit)
        return try await Content(
            app: app, locations: locations, pools: pools, licences: licences,
            next: page["nextPageToken"]?.text, holder: holder,
            classes: options(classes["items"]?.array ?? []))
    }

    static func options(_ classes: [JSONValue]) -> [(value: String, text: String)] {
        classes.compactMap { item -> (value: String, text: String)? in
            guard let id = item["id"]?.text, let name = item["name"]?.text else { return nil }
            let number = item["number"]?.text.map { " · \($0)" } ?? ""
            return (id, (item["displayName"]?.text ?? name) + number)
        }.sorted { $0.text < $1.text }
    }

    /// The licences with the people who hold them: a page of them is as many calls.
    private static func named(_ items: [JSONValue], _ visit: Visit) async throws -> [Licence] {
        let people = try await withThrowingTaskGroup(of: DirectoryPerson?.self) { group in
            for id in Set(items.compactMap { $0["personId"]?.text }) {
                group.addTask { DirectoryPerson(try await visit.api.get("/v1/people/\(id)")) }
            }
            var people: [String: DirectoryPerson] = [:]
            while let person = try await group.next() {
                if let person { people[person.id] = person }
            }
            return people
        }
        return items.compactMap { item in
            guard let id = item["id"]?.text, let location = item["locationId"]?.text else {
                return nil
            }
            return Licence(
                id: id, locationID: location, person: item["personId"]?.text.flatMap { people[$0] },
                serialNumber: item["serialNumber"]?.text,
                since: item["createdAt"]?.text.flatMap { Timestamp($0) })
        }
    }

    // MARK: The page

    /// - Parameter forms: what was typed into the forms of the page, and what is wrong with it.
    static func view(_ content: Content, _ forms: AppForms, _ visit: Visit) -> View {
        let texts = visit.texts
        let app = content.app
        let isRefused = !forms.problems.isEmpty
        return View(isRefused ? texts(ErrorText.formTitle, ["title": app.name]) : app.name) {
            div {
                Console.crumbs(texts, [("/apps", .text(texts(AppsText.title)))])
                heading(
                    app.name,
                    below: dotted([
                        .text(texts(app.isBook ? AppsText.book : .app)),
                        app.bundleID.map { id in code { id } } ?? .nothing,
                    ]), tags: tags(app, texts)
                ) {
                    a(.class("button"), .href("/apps/\(app.id)/edit")) {
                        Icon.draft.html
                        texts(AppsText.edit)
                    }
                }
            }
            forms.problems.summary(forms.errorTitle)
            AppPools.section(content, visit)
            div(.class("two")) {
                holders(content, visit)
                div(.class("stack")) {
                    LicenceForms.give(content, forms, visit)
                    AppPools.forms(content, forms, visit)
                }
            }
        }
    }

    private static func tags(_ app: SchoolApp, _ texts: Texts) -> HTML {
        parts {
            if app.works {
                tag(texts(AppsText.works), .done, .good)
            } else {
                tag(texts(AppsText.worksNot), .off, .line)
            }
            if app.isForDevices { tag(texts(AppsText.forDevices), .apps, .line) }
            if !app.isRevocable { tag(texts(AppsText.stays), .locked, .line) }
        }
    }

    private static func holders(_ content: Content, _ visit: Visit) -> HTML {
        let texts = visit.texts
        let person = content.holder?.kind == "person" ? content.holder : nil
        let isRevocable = content.app.isRevocable
        return section(.class("stack")) {
            h2 { texts(LicenceText.holders) }
            if let person {
                p(.class("soft")) {
                    texts.html(LicenceText.onlyOf, ["name": written(person.name)])
                    " "
                    a(.href("/apps/\(content.app.id)")) { texts(LicenceText.all) }
                }
            }
            if content.licences.isEmpty {
                p(.class("soft")) { texts(LicenceText.none) }
            } else if isRevocable {
                postForm(visit, "/apps/\(content.app.id)/licences/return", .class("stack")) {
                    table(content, visit)
                    div(.class("row")) {
                        button(.class("button"), .type("submit")) { texts(LicenceText.takeBack) }
                    }
                }
            } else {
                table(content, visit)
            }
            PageTrail(visit).links(
                LocalPath("/apps/\(content.app.id)").with("person", visit.query("person")),
                next: content.next, texts)
        }
    }

    private static func table(_ content: Content, _ visit: Visit) -> HTML {
        let texts = visit.texts
        return Console.table(
            texts(LicenceText.holders),
            head: [LicenceText.holder, .pool, .since].map { Console.column(texts($0)) }
        ) {
            for licence in content.licences {
                tr {
                    th(.scope("row")) { holder(licence, content.app, texts) }
                    td { written(content.locations.name(licence.locationID) ?? "") }
                    td(.class("number")) {
                        licence.since.map {
                            texts.day(visit.local($0).day, today: visit.today)
                        } ?? ""
                    }
                }
            }
        }
    }

    private static func holder(
        _ licence: Licence, _ app: SchoolApp, _ texts: Texts
    ) -> HTML {
        let name: HTML
        if let person = licence.person {
            name = span(.dirAuto) { person.name }
        } else {
            name = texts.html(
                LicenceText.device, ["number": code { licence.serialNumber ?? "" }])
        }
        let link = licence.person.map { person in
            a(.href("/people/\(person.id)"), .dirAuto) { person.name }
        }
        guard app.isRevocable else { return link ?? name }
        return label(.class("choice")) {
            input(.type("checkbox"), .name("licence"), .value(licence.id))
            span { link ?? name }
        }
    }
}

/// What was typed into the forms on an app's page.
struct AppForms: Sendable {
    var form = Form.none
    var problems = FormProblems.none
    var errorTitle = ""
}
