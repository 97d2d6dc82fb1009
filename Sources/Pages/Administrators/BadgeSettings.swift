import HTTPWire
import JSONBytes

enum BadgeSettingsText: String, TextKey {
    case title, link, linkHint, intro, on, days, from, until, timeHint, networks, networksHint
    case everywhere, save, noticeSaved
    case errorTitle, errorDays, errorTime, errorNetwork

    static let section = "badgeSettings"
}

/// `/settings/badges`: whether badges sign in small children, when, and from which networks.
enum BadgeSettings: Screen {
    static var pages: [Page] {
        [
            .show("/settings/badges", for: .administrator) { visit in
                Sent(BadgeRule(try await visit.api.get("/v1/badge-rule")))
            } render: { sent, visit in
                view(sent, .none, visit)
            },
            .post("/settings/badges", for: .administrator, save)
                .changing(.setting("organizationChange", byID: false, comparesFirst: true)),
        ]
    }

    /// What the form shows: the rule, or what was typed.
    struct Sent: Sendable {
        let isOn: Bool
        let days: Set<String>
        let from: String
        let until: String
        /// One network in each line.
        let networks: String

        init(_ rule: BadgeRule) {
            isOn = rule.isOn
            days = Set(rule.days.map(String.init))
            from = rule.from
            until = rule.until
            networks = rule.networks.joined(separator: "\n")
        }

        init(_ form: Form) {
            isOn = form.has("on")
            days = Set(form.all("days"))
            from = String(form["from"].trimmed)
            until = String(form["until"].trimmed)
            networks = form["networks"]
        }

        var body: JSONValue {
            let lines = networks.split { $0.isWhitespace || $0 == "," }
            return [
                "on": .bool(isOn),
                "days": .array(
                    days.compactMap { Int64($0) }.sorted().map { JSONValue(integerLiteral: $0) }),
                "from": .text(from), "until": .text(until),
                "networks": .array(lines.map { .text(String($0)) }),
            ]
        }
    }

    private static func save(_ form: Form, _ visit: Visit) async throws -> Answer {
        let sent = Sent(form)
        do {
            try await visit.api.put("/v1/badge-rule", sent.body)
            return .redirect("/settings/badges", notice: Notice(BadgeSettingsText.noticeSaved))
        } catch let refusal as Refusal where refusal.status == 422 {
            var problems = FormProblems()
            for pointer in refusal.fields.keys.sorted() {
                let id = pointer.split(separator: "/").first.map(String.init) ?? "from"
                guard problems[id] == nil else { continue }
                let key: BadgeSettingsText =
                    id == "days" ? .errorDays : id == "networks" ? .errorNetwork : .errorTime
                problems.add(id, visit.texts(key))
            }
            return .view(view(sent, problems, visit).refused(refusal))
        }
    }

    private static func view(_ sent: Sent, _ problems: FormProblems, _ visit: Visit) -> View {
        let texts = visit.texts
        let title = texts(BadgeSettingsText.title)
        return View(problems.isEmpty ? title : texts(ErrorText.formTitle, ["title": title])) {
            div {
                crumbs([("/settings", texts(SettingsText.title))], texts)
                heading(title, below: .text(texts(BadgeSettingsText.intro)))
            }
            problems.summary(texts(BadgeSettingsText.errorTitle))
            editForm(visit, "/settings/badges", version: "", .class("card reading stack")) {
                label(.class("choice")) {
                    input(.type("checkbox"), .name("on"), .value("yes"), .checked(sent.isOn))
                    span { texts(BadgeSettingsText.on) }
                }
                days(sent, problems, texts)
                field(
                    "from", label: texts(BadgeSettingsText.from),
                    hint: texts(BadgeSettingsText.timeHint), problem: problems["from"],
                    style: "input input-short", .type("text"), .value(sent.from), .required)
                field(
                    "until", label: texts(BadgeSettingsText.until), problem: problems["until"],
                    style: "input input-short", .type("text"), .value(sent.until), .required)
                textField(
                    "networks", label: texts(BadgeSettingsText.networks),
                    hint: texts(BadgeSettingsText.networksHint), problem: problems["networks"],
                    sent.networks)
                p(.class("warn")) { texts(BadgeSettingsText.everywhere) }
                button(.class("button button-main"), .type("submit")) {
                    texts(BadgeSettingsText.save)
                }
            }
        }
    }

    private static func days(_ sent: Sent, _ problems: FormProblems, _ texts: Texts) -> HTML {
        fieldset(.id("days"), .together("days")) {
            legend { texts(BadgeSettingsText.days) }
            if let problem = problems["days"] { p(.class("problem")) { problem } }
            div(.class("row")) {
                for number in 1...7 {
                    label(.class("choice")) {
                        input(
                            .type("checkbox"), .name("days"), .value("\(number)"),
                            .checked(sent.days.contains("\(number)")))
                        span { texts.weekday(number) }
                    }
                }
            }
        }
    }
}
