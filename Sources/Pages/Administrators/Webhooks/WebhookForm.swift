import JSONBytes

/// What the form of a webhook holds.
struct WebhookForm: Sendable {
    let name: String
    private let url: String
    private let kinds: [String]
    let tag: String

    private static let known: [(kind: String, text: WebhooksText)] = [
        ("person", .kindPerson), ("class", .kindClass), ("roster", .kindRoster),
        ("course", .kindCourse), ("term", .kindTerm), ("location", .kindLocation),
    ]

    /// Of a webhook that nobody has written anything about yet: for all changes.
    init() {
        (name, url, kinds, tag) = ("", "", Self.known.map(\.kind), "")
    }

    init(_ webhook: JSONValue, tag: String) {
        name = webhook["name"]?.text ?? ""
        url = webhook["url"]?.text ?? ""
        kinds = (webhook["kinds"]?.array ?? []).compactMap(\.text)
        self.tag = tag
    }

    /// - Parameter form: what was sent.
    init(_ form: Form) {
        name = String(form["name"].trimmed)
        url = String(form["url"].trimmed)
        kinds = Self.known.map(\.kind).filter(form.all("kind").contains)
        tag = form["version"]
    }

    var body: JSONValue {
        [
            "name": .text(name), "url": .text(url),
            "kinds": .array(kinds.map { .text($0) }),
        ]
    }

    @HTMLBuilder
    func fields(_ problems: FormProblems, _ texts: Texts) -> [HTML] {
        field(
            "name", label: texts(WebhooksText.name), hint: texts(WebhooksText.nameHint),
            problem: problems["name"], .type("text"), .value(name), .required)
        field(
            "url", label: texts(WebhooksText.url), hint: texts(WebhooksText.urlHint),
            problem: problems["url"], .type("url"), .value(url), .required)
        fieldset(.id("kinds"), .tabindex(-1)) {
            legend { texts(WebhooksText.kinds) }
            if let problem = problems["kinds"] {
                p(.class("problem")) {
                    Icon.warn.html
                    problem
                }
            }
            for item in Self.known {
                label(.class("choice")) {
                    input(
                        .type("checkbox"), .name("kind"), .value(item.kind),
                        .checked(kinds.contains(item.kind)))
                    span { texts(item.text) }
                }
            }
        }
    }

    /// What the API found wrong, in words beside the fields.
    func problems(_ refusal: Refusal, _ texts: Texts) throws -> FormProblems {
        var problems = FormProblems()
        if refusal.code == "too_many_webhooks" {
            problems.add("name", texts(WebhooksText.errorTooMany))
        }
        for pointer in refusal.fields.keys.sorted() {
            let id = String(pointer.split(separator: "/").first ?? "")
            guard problems[id] == nil else { continue }
            switch id {
            case "name":
                problems.add(
                    id, texts(name.isEmpty ? ConsoleText.errorMissing : .errorTooLong))
            case "kinds": problems.add(id, texts(WebhooksText.errorKinds))
            default: problems.add("url", texts(WebhooksText.errorURL))
            }
        }
        guard !problems.isEmpty else { throw refusal }
        return problems
    }
}
