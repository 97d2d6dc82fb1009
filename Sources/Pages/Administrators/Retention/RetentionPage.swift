import JSONBytes
import Values

enum RetentionText: String, TextKey {
    case title, intro, activities, handouts, grades, auditEvents, exports, keepFor, unit, forGood
    case years, days
    case save, noticeSaved, errorTitle, errorNumber, notBefore, going, removed
    case lastNight, night, notFinished, link, linkHint
    case holds, holdsIntro, holdsNone, holdsHow, since, someone, someClass, lift
    case liftTitle, liftDoes, noticeLifted
    case placeTitle, placeDoes, reason, reasonHint, place, noticePlaced, keepPerson, keepClass

    static let section = "retention"
}

/// `/settings/data`: how long each kind of data is kept, and the holds.
enum RetentionPage: Screen {
    static var pages: [Page] {
        [
            .show("/settings/data", for: .administrator) { visit in
                try await load(visit)
            } render: { content, visit in
                view(content, .none, visit)
            },
            .post("/settings/data", for: .administrator, save)
                .changing(.setting("retentionChange", byID: false, comparesFirst: true)),
        ]
    }

    struct Content: Sendable {
        /// In the order of the page.
        let rules: [RetentionRule]
        let lastNight: JSONValue?
        let holds: [Hold]
    }

    private static func load(_ visit: Visit) async throws -> Content {
        async let retention = visit.api.get("/v1/retention")
        async let holds = Hold.all(visit)
        let found = try await retention
        let rules = RetentionRule.Kind.allCases.map { kind in
            let rule = found["rules"]?.array?.first { $0["kind"]?.text == kind.rawValue }
            return RetentionRule(kind, rule ?? .null)
        }
        return Content(rules: rules, lastNight: found["lastNight"], holds: try await holds)
    }

    private static func save(_ form: Form, _ visit: Visit) async throws -> Answer {
        let typed = RetentionRule.Kind.allCases.map { RetentionRule($0, form) }
        let sent = typed.filter { $0.unit != .forGood }
        var problems = FormProblems.none
        for rule in sent where rule.body == nil {
            problems.add(rule.kind.rawValue, visit.texts(RetentionText.errorNumber))
        }
        if problems.isEmpty {
            do {
                try await visit.api.put(
                    "/v1/retention", ["rules": .array(sent.compactMap(\.body))])
                return .redirect("/settings/data", notice: Notice(RetentionText.noticeSaved))
            } catch let refusal as Refusal where refusal.status == 422 {
                for pointer in refusal.fields.keys.sorted() {
                    let part = pointer.split(separator: "/").dropFirst().first
                    guard let index = part.flatMap({ Int($0) }), sent.indices.contains(index)
                    else { throw refusal }
                    problems.add(
                        sent[index].kind.rawValue, visit.texts(RetentionText.errorNumber))
                }
            }
        }
        let now = try await load(visit)
        let content = Content(rules: typed, lastNight: now.lastNight, holds: now.holds)
        return .view(view(content, problems, visit).refused())
    }

    private static func view(
        _ content: Content, _ problems: FormProblems, _ visit: Visit
    ) -> View {
        let texts = visit.texts
        let title = texts(RetentionText.title)
        return View(problems.isEmpty ? title : texts(ErrorText.formTitle, ["title": title])) {
            Console.crumbs(texts, [("/settings", .text(texts(SettingsText.title)))])
            heading(title, below: .text(texts(RetentionText.intro)))
            problems.summary(texts(RetentionText.errorTitle))
            div(.class("two")) {
                editForm(visit, "/settings/data", version: "", .class("stack")) {
                    for rule in content.rules { card(rule, problems, visit) }
                    p {
                        button(.class("button button-main"), .type("submit")) {
                            texts(RetentionText.save)
                        }
                    }
                }
                div(.class("stack")) {
                    HoldPages.card(content.holds, visit)
                    lastNight(content.lastNight, visit)
                }
            }
        }
    }

    private static func card(
        _ rule: RetentionRule, _ problems: FormProblems, _ visit: Visit
    ) -> HTML {
        let texts = visit.texts
        let id = rule.kind.rawValue
        return section(.class("card"), .labelledBy("\(id)-title")) {
            h2(.id("\(id)-title")) { texts(rule.kind.text) }
            div(.class("filter"), .together(id), .meaning(texts(rule.kind.text))) {
                field(
                    id, label: texts(RetentionText.keepFor), problem: problems[id],
                    .value(rule.number), Attribute("inputmode", "numeric"))
                Console.choice(
                    "\(id)-unit", label: texts(RetentionText.unit),
                    RetentionRule.Unit.allCases.map { ($0.rawValue, texts($0.text)) },
                    chosen: rule.unit.rawValue)
            }
            for line in rule.state(visit) { p(.class("soft")) { line } }
        }
    }

    private static func lastNight(_ night: JSONValue?, _ visit: Visit) -> HTML {
        guard let day = night?["night"]?.text.flatMap({ Day($0) }) else { return .nothing }
        let texts = visit.texts
        return section(.class("card")) {
            h2 { texts(RetentionText.lastNight) }
            p(.class("soft")) {
                texts(RetentionText.night, ["day": texts.day(day, today: visit.today)])
            }
            if night?["finishedAt"]?.text == nil { p { texts(RetentionText.notFinished) } }
            dl(.class("facts")) {
                for kind in RetentionRule.Kind.allCases {
                    if let count = night?["removed"]?[kind.rawValue]?.int64 {
                        Console.fact(texts(kind.text), .text(texts.number(Int(count))))
                    }
                }
            }
        }
    }
}
