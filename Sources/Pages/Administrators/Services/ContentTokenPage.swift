import HTTPWire
import JSONBytes

enum ContentTokenText: String, TextKey {
    case link, title, intro, location, country, countryHint, make, errorTitle, errorCountry
    case shownTitle, shownOnce, token, renewal

    static let section = "contentToken"
}

/// `/content-tokens/new`: the token with which a device manager assigns the licences of a location. It is listed, renamed
/// and revoked as a service account.
enum ContentTokenPage: Screen {
    static let path: LocalPath = "/content-tokens/new"

    static var pages: [Page] {
        [
            .get(path.text, for: .administrator) { visit in
                let fields = try await fields(visit)
                return .view(page(visit).view(RecordForm(fields), .none, visit))
            },
            .post(path.text, for: .administrator, make),
        ]
    }

    private static func fields(_ visit: Visit) async throws -> [RecordField] {
        let texts = visit.texts
        return [
            RecordField(
                id: "name", label: texts(ServiceText.name), hint: texts(ServiceText.nameHint),
                isRequired: true),
            RecordField(
                id: "locationId", label: texts(ContentTokenText.location),
                control: .choice(try await Locations.load(visit.api).options), isRequired: true),
            RecordField(
                id: "country", label: texts(ContentTokenText.country),
                hint: texts(ContentTokenText.countryHint), isRequired: true),
        ]
    }

    private static func page(_ visit: Visit) -> RecordPage {
        let texts = visit.texts
        return RecordPage(
            title: texts(ContentTokenText.title), errorTitle: texts(ContentTokenText.errorTitle),
            buttonText: texts(ContentTokenText.make), action: path, back: "/services",
            crumbs: [("/services", .text(texts(ServiceText.title)))],
            intro: texts(ContentTokenText.intro))
    }

    private static func make(_ sent: Form, _ visit: Visit) async throws -> Answer {
        let form = RecordForm(try await fields(visit), sent)
        var body = form.body(isNew: true)
        body["country"] = .text(form["country"].uppercased())
        do {
            let made = try await visit.api.post("/v1/content-tokens", .object(body))
            return .view(try shown(made, visit))
        } catch let refusal as Refusal where refusal.status == 422 {
            let problems = try form.problems(
                refusal, visit.texts, ["/country": visit.texts(ContentTokenText.errorCountry)])
            return .view(page(visit).view(form, problems, visit).refused())
        }
    }

    /// The token, this once.
    private static func shown(_ document: JSONValue, _ visit: Visit) throws -> View {
        guard let name = document["name"]?.text, let token = document["contentToken"]?.text
        else { throw UnexpectedDocument() }
        let texts = visit.texts
        return View(texts(ContentTokenText.shownTitle)) {
            heading(texts(ContentTokenText.shownTitle), below: written(name))
            notice(.warn, .warn) { p { texts(ContentTokenText.shownOnce) } }
            section(.class("card reading")) {
                div(.class("field")) {
                    label(.for("token")) { texts(ContentTokenText.token) }
                    textarea(.class("input code"), .id("token"), Attribute("readonly", "")) {
                        token
                    }
                }
            }
            p(.class("no-print")) {
                a(.class("button"), .href("/services")) { texts(ServiceText.back) }
            }
        }
    }
}
