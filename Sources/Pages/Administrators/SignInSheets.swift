import JSONBytes
import Values

enum SheetsText: String, TextKey {
    case title, intro, location, chooseLocation, whom, wholeLocation, make, warning
    case shownOnce, below, slips
    case refusedTitle, nobody, tooMany, outdated, forbidden, withoutPasswords, back

    static let section = "sheets"
}

/// `/people/sheets`: temporary passwords of a class or a location on paper.
enum SignInSheets: Screen {
    static var pages: [Page] {
        [
            .show("/people/sheets", for: .peopleManager, load: load, render: question),
            .post("/people/sheets", for: .peopleManager, make),
        ]
    }

    struct Content: Sendable {
        let locations: Locations
        /// The location that was chosen, or the only one.
        let location: String?
        let classes: [(id: String, name: String)]
    }

    private static func load(_ visit: Visit) async throws -> Content {
        let locations = try await Locations.load(visit.api)
        let only = locations.all.count == 1 ? locations.all.first?.id : nil
        guard let location = visit.query("location") ?? only else {
            return Content(locations: locations, location: nil, classes: [])
        }
        let items = try await Console.all(
            LocalPath("/v1/classes?status=active").with("locationId", location), visit.api)
        let classes = items.compactMap { item -> (id: String, name: String)? in
            guard let id = item["id"]?.text, let name = item["name"]?.text else { return nil }
            let number = item["number"]?.text.map { " · \($0)" } ?? ""
            return (id, (item["displayName"]?.text ?? name) + number)
        }
        return Content(
            locations: locations, location: location,
            classes: classes.sorted { $0.name < $1.name })
    }

    // MARK: For whom

    private static func question(_ content: Content, _ visit: Visit) -> View {
        let texts = visit.texts
        return View(texts(SheetsText.title)) {
            div {
                Console.crumbs(texts, [("/people", .text(texts(PeopleText.title)))])
                heading(texts(SheetsText.title), below: .text(texts(SheetsText.intro)))
            }
            if content.locations.all.count > 1, visit.schoolUsesPasswords {
                getForm("/people/sheets", .class("filter")) {
                    Console.choice(
                        "location", label: texts(SheetsText.location), content.locations.options,
                        chosen: content.location ?? "")
                    button(.class("button"), .type("submit")) { texts(SheetsText.chooseLocation) }
                }
            }
            if !visit.schoolUsesPasswords {
                p(.class("reading")) { texts(SheetsText.withoutPasswords) }
            } else if let location = content.location {
                order(content, location, visit)
            }
        }
    }

    private static func order(
        _ content: Content, _ location: String, _ visit: Visit
    ) -> HTML {
        let texts = visit.texts
        var options: [(value: String, text: String)] = content.classes.map { ($0.id, $0.name) }
        options.append(("", texts(SheetsText.wholeLocation)))
        return postForm(visit, "/people/sheets", .class("card reading stack")) {
            input(.type("hidden"), .name("location"), .value(location))
            Console.choice(
                "class", label: texts(SheetsText.whom), options,
                chosen: visit.query("class") ?? options[0].value)
            p { texts(SheetsText.warning) }
            button(.class("button button-main"), .type("submit")) { texts(SheetsText.make) }
        }
    }

    // MARK: The sheet

    private static func make(_ form: Form, _ visit: Visit) async throws -> Answer {
        let body: JSONValue =
            form["class"].isEmpty
            ? ["locationId": .text(form["location"])] : ["classId": .text(form["class"])]
        do {
            return .view(sheet(try await Slip.make(body, visit), visit))
        } catch let refusal as Refusal {
            return .view(try refused(refusal, visit))
        }
    }

    private static func sheet(_ slips: [Slip], _ visit: Visit) -> View {
        let texts = visit.texts
        return View(texts(SheetsText.title)) {
            heading(
                texts(SheetsText.title),
                below: dotted([
                    .text(texts(SheetsText.slips, count: slips.count)),
                    .text(visit.moment(visit.now)),
                ]))
            div(.class("no-print")) {
                notice(.warn, .warn) {
                    p { texts.html(SheetsText.shownOnce) }
                    p { texts(SheetsText.below) }
                }
            }
            div(.class("slips")) { for item in slips { slip(item, visit) } }
        }
    }

    private static func refused(_ refusal: Refusal, _ visit: Visit) throws -> View {
        let reason: SheetsText
        switch (refusal.status, refusal.code) {
        case (_, "sheet_outdated"): reason = .outdated
        case (_, "without_passwords"): reason = .withoutPasswords
        case (403, _): reason = .forbidden
        case (422, _) where refusal.fields.values.contains("nobody"): reason = .nobody
        case (422, _) where refusal.fields.values.contains("too_many_people"): reason = .tooMany
        default: throw refusal
        }
        let texts = visit.texts
        return View(texts(SheetsText.refusedTitle)) {
            h1 { texts(SheetsText.refusedTitle) }
            p(.class("reading")) { texts(reason) }
            p { a(.class("button"), .href("/people/sheets")) { texts(SheetsText.back) } }
        }.refused(refusal)
    }
}
