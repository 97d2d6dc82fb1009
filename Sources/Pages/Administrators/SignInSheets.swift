import CSV
import HTTPServer
import HTTPWire
import JSONBytes
import Values

enum SheetText: String, TextKey {
    case title, intro, location, chooseLocation, whom, wholeLocation, make, warning
    case shownOnce, below, slips, managedID, password, until
    case refusedTitle, nobody, tooMany, outdated, forbidden, back

    static let section = "sheet"
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

    /// How long hashing a sheet's passwords may take.
    private static let seconds = 180

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
        return View(texts(SheetText.title)) {
            div {
                Console.crumbs(texts, [("/people", .text(texts(PeopleText.title)))])
                heading(texts(SheetText.title), below: .text(texts(SheetText.intro)))
            }
            if content.locations.all.count > 1 {
                getForm("/people/sheets", .class("filter")) {
                    Console.choice(
                        "location", label: texts(SheetText.location), content.locations.options,
                        chosen: content.location ?? "")
                    button(.class("button"), .type("submit")) { texts(SheetText.chooseLocation) }
                }
            }
            if let location = content.location { order(content, location, visit) }
        }
    }

    private static func order(
        _ content: Content, _ location: String, _ visit: Visit
    ) -> HTML {
        let texts = visit.texts
        var options: [(value: String, text: String)] = content.classes.map { ($0.id, $0.name) }
        options.append(("", texts(SheetText.wholeLocation)))
        return postForm(visit, "/people/sheets", .class("card reading stack")) {
            input(.type("hidden"), .name("location"), .value(location))
            Console.choice(
                "class", label: texts(SheetText.whom), options,
                chosen: visit.query("class") ?? options[0].value)
            p { texts(SheetText.warning) }
            button(.class("button button-main"), .type("submit")) { texts(SheetText.make) }
        }
    }

    // MARK: The sheet

    private struct Slip {
        let name: String
        let classes: String
        let managedID: String
        let password: String
        let expiresAt: Timestamp?

        /// - Parameter record: of the API's table.
        init?(_ record: CSVRecord, _ columns: [String: Int], _ texts: Texts) {
            func value(_ name: String) -> String {
                columns[name].flatMap { $0 < record.count ? record[$0] : nil } ?? ""
            }
            name = texts.name(given: value("givenName"), family: value("familyName"))
            classes = value("classes")
            managedID = value("managedId")
            password = value("temporaryPassword")
            expiresAt = Timestamp(value("expiresAt"))
            guard !password.isEmpty else { return nil }
        }
    }

    private static func make(_ form: Form, _ visit: Visit) async throws -> Answer {
        visit.request.setDeadline(secondsFromNow: seconds)
        let body: JSONValue =
            form["class"].isEmpty
            ? ["locationId": .text(form["location"])] : ["classId": .text(form["class"])]
        let answer = try await visit.api.ask(
            .post, "/v1/sign-in-sheets",
            headers: [
                (name: "Content-Type", value: "application/json"),
                (name: "Accept", value: "text/csv"),
            ], body: body.bytes)
        let bytes = try await answer.wholeBody()
        guard (200..<300).contains(answer.status) else {
            let document = (try? JSONValue(parsing: bytes)) ?? .null
            let refusal = Refusal(answer, document, requestID: visit.request.requestID)
            return .view(try refused(refusal, visit))
        }
        let records = try CSVReader.records(of: bytes, options: .rfc4180)
        let columns = Dictionary(
            (records.first?.fields ?? []).enumerated().map { ($0.element, $0.offset) },
            uniquingKeysWith: { first, _ in first })
        let slips = records.dropFirst().compactMap { Slip($0, columns, visit.texts) }
        return .view(sheet(slips, visit))
    }

    private static func sheet(_ slips: [Slip], _ visit: Visit) -> View {
        let texts = visit.texts
        return View(texts(SheetText.title)) {
            heading(
                texts(SheetText.title),
                below: dotted([
                    .text(texts(SheetText.slips, count: slips.count)),
                    .text(visit.moment(visit.now)),
                ]))
            div(.class("no-print")) {
                notice(.warn, .warn) {
                    p { texts.html(SheetText.shownOnce) }
                    p { texts(SheetText.below) }
                }
            }
            div(.class("slips")) { for slip in slips { card(slip, visit) } }
        }
    }

    private static func card(_ slip: Slip, _ visit: Visit) -> HTML {
        let texts = visit.texts
        return section(.class("slip")) {
            h2 { written(slip.name) }
            p(.class("small soft")) {
                dotted([.text(visit.person?.school ?? ""), written(slip.classes)])
            }
            p(.class("small")) { texts(SheetText.managedID) }
            p(.class("code")) { written(slip.managedID) }
            p(.class("small")) { texts(SheetText.password) }
            p(.class("secret")) { slip.password }
            if let until = slip.expiresAt {
                p(.class("small soft")) {
                    texts(SheetText.until, ["when": visit.moment(until)])
                }
            }
        }
    }

    private static func refused(_ refusal: Refusal, _ visit: Visit) throws -> View {
        let reason: SheetText
        switch (refusal.status, refusal.code) {
        case (_, "sheet_outdated"): reason = .outdated
        case (403, _): reason = .forbidden
        case (422, _) where refusal.fields.values.contains("nobody"): reason = .nobody
        case (422, _) where refusal.fields.values.contains("too_many_people"): reason = .tooMany
        default: throw refusal
        }
        let texts = visit.texts
        return View(texts(SheetText.refusedTitle)) {
            h1 { texts(SheetText.refusedTitle) }
            p(.class("reading")) { texts(reason) }
            p { a(.class("button"), .href("/people/sheets")) { texts(SheetText.back) } }
        }.refused(refusal.status)
    }
}
