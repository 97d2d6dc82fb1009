import JSONBytes
import Values

/// On the page of a service account: which gradebooks it was granted, and a form to grant it more.
struct GradebookCard: Sendable {
    private let form: GrantForm
    /// Those of this page.
    private let shown: [(grant: GradebookGrant, target: GradebookTarget)]
    private let page: Int
    private let pageCount: Int
    private let granted: [GradebookGrant.Scope]
    /// Those that were found, if a search is made.
    private let found: [GradebookTarget]
    private let isMoreToFind: Bool
    private let locations: Locations

    /// How many grants are below each other: each name of a class is a call.
    private static let mostShown = 25
    /// How many locations are offered without choosing one in the search.
    private static let mostLocations = 8
    /// How many classes a search shows.
    private static let mostFound = 20

    // MARK: Loading

    static func load(_ form: GrantForm, _ visit: Visit) async throws -> GradebookCard {
        async let all = GradebookGrant.all(visit)
        async let allLocations = Locations.load(visit.api)
        async let search = foundClasses(form, visit)
        let locations = try await allLocations
        let grants = try await all
        let pageCount = max(1, (grants.count + mostShown - 1) / mostShown)
        let page = min(max(visit.query("page").flatMap { Int($0) } ?? 1, 1), pageCount)
        let shown = try await named(
            grants.dropFirst((page - 1) * mostShown).prefix(mostShown), locations, visit)
        let (classes, isMore) = try await search
        return GradebookCard(
            form: form, shown: shown, page: page, pageCount: pageCount,
            granted: grants.map(\.scope),
            found: classes.compactMap { GradebookTarget(class: $0, locations) },
            isMoreToFind: isMore, locations: locations)
    }

    private static func foundClasses(
        _ form: GrantForm, _ visit: Visit
    ) async throws -> (items: [JSONValue], isMore: Bool) {
        guard form.isSearch else { return ([], false) }
        let page = try await visit.api.get(
            LocalPath("/v1/classes?status=active&order=name").with("limit", "\(mostFound)")
                .with("q", form.words.nilIfEmpty).with("locationId", form.place.nilIfEmpty))
        return (page["items"]?.array ?? [], page["nextPageToken"]?.text != nil)
    }

    /// The grants with the names of what they are for, in their order.
    private static func named(
        _ grants: ArraySlice<GradebookGrant>, _ locations: Locations, _ visit: Visit
    ) async throws -> [(grant: GradebookGrant, target: GradebookTarget)] {
        let targets = try await withThrowingTaskGroup(of: (Int, GradebookTarget?).self) { group in
            for (index, grant) in grants.enumerated() {
                group.addTask {
                    (index, try await GradebookTarget.load(grant.scope, locations, visit))
                }
            }
            var targets: [Int: GradebookTarget] = [:]
            while let (index, target) = try await group.next() { targets[index] = target }
            return targets
        }
        return grants.enumerated().compactMap { index, grant in
            targets[index].map { (grant: grant, target: $0) }
        }
    }

    // MARK: Showing

    func html(_ visit: Visit) -> HTML {
        let texts = visit.texts
        return section(.class("card reading stack"), .id("gradebook")) {
            h2 { texts(GrantText.title) }
            p(.class("soft")) { texts(GrantText.intro) }
            if shown.isEmpty { p { texts(GrantText.none) } } else { list(visit) }
            if pageCount > 1 { pages(visit) }
            h3 { texts(GrantText.add) }
            search(visit)
            if form.isSearch, found.isEmpty { p { texts(GrantText.nothing) } }
            if isMoreToFind { p { texts(GrantText.more) } }
            if isLarge, form.place.isEmpty { p { texts(GrantText.wholeLocation) } }
            adding(visit)
        }
    }

    /// Whether there are too many locations to offer them all.
    private var isLarge: Bool { locations.all.count > Self.mostLocations }

    /// What can be granted beside the classes that were found. The only location of a school is the whole of it.
    private var offered: [GradebookTarget] {
        var offered = [GradebookTarget.everything]
        if locations.all.count > 1 {
            for location in locations.all where !isLarge || location.id == form.place {
                offered.append(GradebookTarget(location: location))
            }
        }
        return offered
    }

    private func list(_ visit: Visit) -> HTML {
        let texts = visit.texts
        return ul(.class("list list-wraps"), .label(texts(GrantText.list))) {
            for (grant, target) in shown {
                li {
                    div(.class("grow")) {
                        p(.class("strong")) { target.title(texts) }
                        p(.class("small soft")) { target.below(texts) }
                        p(.class("small soft")) {
                            dotted([
                                .text(texts(grant.readsResults ? GrantText.reads : .readsNot)),
                                .text(
                                    grant.grantedAt.map {
                                        texts(GrantText.since, ["when": visit.moment($0)])
                                    } ?? ""),
                            ])
                        }
                    }
                    div(.class("wrap-end")) {
                        a(
                            .class("button"),
                            .href(
                                LocalPath("/services/\(visit["id"])/gradebook/end")
                                    .with("scope", grant.scope.value)),
                            .label(texts(GrantText.endOf, ["name": target.plainTitle(texts)]))
                        ) { texts(GrantText.end) }
                    }
                }
            }
        }
    }

    private func pages(_ visit: Visit) -> HTML {
        let texts = visit.texts
        let address: LocalPath = "/services/\(visit["id"])"
        return nav(.class("pages"), .label(texts(ConsoleText.pages))) {
            if page > 1 {
                a(.class("button"), .rel("prev"), .href(address.with("page", "\(page - 1)"))) {
                    Icon.previous.html
                    texts(ConsoleText.previous)
                }
            }
            if page < pageCount {
                a(.class("button"), .rel("next"), .href(address.with("page", "\(page + 1)"))) {
                    texts(ConsoleText.next)
                    Icon.next.html
                }
            }
        }
    }

    private func search(_ visit: Visit) -> HTML {
        let texts = visit.texts
        return getForm(
            "/services/\(visit["id"])#gradebook", .class("filter no-print"), .role("search"),
            .label(texts(GrantText.find))
        ) {
            div(.class("field field-grow")) {
                label(.for("q")) { texts(GrantText.find) }
                p(.class("hint"), .id("q-hint")) { texts(GrantText.findHint) }
                input(
                    .class("input"), .id("q"), .name("q"), .type("search"), .autocomplete("off"),
                    Attribute("maxlength", "256"), .value(form.words), .describedBy("q-hint"))
            }
            if locations.all.count > 1 {
                Console.choice(
                    "location", label: texts(SchoolClassText.location),
                    [("", texts(PeopleText.anyLocation))] + locations.options, chosen: form.place)
            }
            button(.class("button"), .type("submit")) {
                Icon.search.html
                texts(ConsoleText.search)
            }
        }
    }

    private func adding(_ visit: Visit) -> HTML {
        let texts = visit.texts
        return postForm(visit, "/services/\(visit["id"])/gradebook", .class("stack")) {
            scopes(texts)
            label(.class("choice")) {
                input(
                    .type("checkbox"), .name("readsResults"), .value("on"),
                    .checked(form.readsResults))
                span {
                    texts(GrantText.results)
                    span(.class("hint")) { texts(GrantText.resultsHint) }
                }
            }
            // So that what was found is still there when the form comes back.
            input(.type("hidden"), .name("q"), .value(form.words))
            input(.type("hidden"), .name("location"), .value(form.place))
            div(.class("row")) {
                button(.class("button button-main"), .type("submit")) { texts(GrantText.grant) }
            }
        }
    }

    private func scopes(_ texts: Texts) -> HTML {
        let problem = form.problems["scope"]
        return fieldset(
            .class(problem == nil ? "field" : "field field-bad"), .id("scope"), .tabindex(-1),
            .describedBy(problem == nil ? nil : "scope-problem")
        ) {
            legend { texts(GrantText.scope) }
            if let problem {
                p(.class("problem"), .id("scope-problem")) {
                    Icon.warn.html
                    problem
                }
            }
            if !found.isEmpty {
                div(.class("columns")) { for target in found { scope(target, texts) } }
            }
            for target in offered { scope(target, texts) }
        }
    }

    private func scope(_ target: GradebookTarget, _ texts: Texts) -> HTML {
        let isGranted = granted.contains(target.scope)
        return label(.class("choice")) {
            input(
                .type("checkbox"), .name("scope"), .value(target.scope.value),
                .checked(!isGranted && form.scopes.contains(target.scope)),
                Attribute("disabled", if: isGranted))
            span {
                target.title(texts)
                span(.class("hint")) { target.below(texts) }
                if isGranted { span(.class("hint")) { texts(GrantText.granted) } }
            }
        }
    }
}
