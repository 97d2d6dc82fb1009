import HTTPServer
import HTTPWire
import JSONBytes
import QRCodes
import Values

enum BadgesText: String, TextKey {
    case title, intro, off, hours, fromNetworks, fromEverywhere
    case columnMade, columnUsed, never, none, cannot, void, voidOf, voidAll, voidAllHint
    case who, onlyNew, everyone, make, nobody
    case noticeVoid, noticeAllVoid
    case shownOnce, made, kept, leftOut, print, hold, toBadges
    case problemMade, problemOutdated

    static let section = "badges"
}

/// `/classes/{id}/badges`: cards that sign in the students of a class, when each was used, and voiding them.
enum Badges: Screen {
    static var pages: [Page] {
        [
            .show("/classes/{id}/badges", for: .teacher, load: load) { content, visit in
                view(content, visit)
            },
            .post("/classes/{id}/badges", for: .teacher, make),
            .post("/classes/{id}/badges/void", for: .teacher) { _, visit in
                try await visit.api.delete("/v1/classes/\(visit["id"])/badges")
                return .redirect(
                    "/classes/\(visit["id"])/badges", notice: Notice(BadgesText.noticeAllVoid))
            },
            .post("/classes/{id}/badges/{person}/void", for: .teacher) { _, visit in
                try await visit.api.delete("/v1/classes/\(visit["id"])/badges/\(visit["person"])")
                return .redirect(
                    "/classes/\(visit["id"])/badges", notice: Notice(BadgesText.noticeVoid))
            },
        ]
    }

    /// A student of the class, and the badge that works.
    struct Holder: Sendable {
        let id: String
        let name: String
        let mayHave: Bool
        let madeAt: Timestamp?
        let lastUsedAt: Timestamp?

        init?(_ item: JSONValue) {
            guard let id = item["personId"]?.text, let name = FullName(item) else { return nil }
            self.id = id
            self.name = name.text
            mayHave = item["mayHaveBadge"]?.bool == true
            madeAt = item.moment("madeAt")
            lastUsedAt = item.moment("lastUsedAt")
        }
    }

    struct Content: Sendable {
        let schoolClass: TaughtClass
        let rule: BadgeRule
        let holders: [Holder]
    }

    private static func load(_ visit: Visit) async throws -> Content {
        let id = visit["id"]
        async let schoolClass = TaughtClass.load(id, visit.api)
        async let rule = visit.api.get("/v1/badge-rule")
        async let badges = visit.api.get("/v1/classes/\(id)/badges")
        return try await Content(
            schoolClass: schoolClass, rule: BadgeRule(rule),
            holders: (badges["items"]?.array ?? []).compactMap(Holder.init))
    }

    private static func make(_ form: Form, _ visit: Visit) async throws -> Answer {
        let texts = visit.texts
        let content = try await load(visit)
        do {
            let made = try await visit.api.post(
                "/v1/classes/\(visit["id"])/badges", ["again": .bool(form["who"] == "all")])
            let cards = (made["items"]?.array ?? []).compactMap(Card.init)
            guard !cards.isEmpty else {
                let problem = texts(BadgesText.nobody)
                return .view(view(content, problem: problem, visit).refused())
            }
            return .view(sheet(cards, made, content, visit))
        } catch let refusal as Refusal where refusal.isForForm {
            let problem =
                switch refusal.code {
                case "badges_off": texts(BadgesText.off)
                case "badges_need_school_class": texts(BadgesText.problemMade)
                case "badges_outdated": texts(BadgesText.problemOutdated)
                default: TeachingText.sentence(refusal, texts)
                }
            return .view(view(content, problem: problem, visit).refused(refusal))
        }
    }

    // MARK: The list

    private static func steps(
        _ schoolClass: TaughtClass, _ visit: Visit
    ) -> [(path: LocalPath, name: String)] {
        if visit.person?.belongs(to: .teacher) == true {
            return Roster.steps(schoolClass, visit.texts)
        }
        let page: LocalPath = "/school/classes/\(schoolClass.id)"
        return [(path: page, name: schoolClass.name)]
    }

    private static func view(_ content: Content, problem: String? = nil, _ visit: Visit) -> View {
        let texts = visit.texts
        let isAny = content.holders.contains { $0.madeAt != nil }
        return View(texts(BadgesText.title)) {
            div {
                crumbs(steps(content.schoolClass, visit), texts)
                heading(texts(BadgesText.title), below: .text(texts(BadgesText.intro)))
            }
            if let problem { notice(.bad, .warn) { p { problem } } }
            if content.rule.isOn {
                rule(content.rule, texts)
            } else {
                notice(.warn, .warn) { p { texts(BadgesText.off) } }
            }
            table(content, visit)
            if content.rule.isOn, content.holders.contains(where: { $0.mayHave }) {
                order(isAny, visit)
            }
            if isAny {
                postForm(
                    visit, "/classes/\(content.schoolClass.id)/badges/void",
                    .class("card reading")
                ) {
                    p { texts(BadgesText.voidAllHint) }
                    button(.class("button button-risk"), .type("submit")) {
                        texts(BadgesText.voidAll)
                    }
                }
            }
        }
    }

    private static func rule(_ rule: BadgeRule, _ texts: Texts) -> HTML {
        div(.class("reading")) {
            p { rule.hours(texts) }
            p(.class(rule.networks.isEmpty ? "warn" : "soft")) {
                texts(rule.networks.isEmpty ? BadgesText.fromEverywhere : .fromNetworks)
            }
        }
    }

    private static func order(_ isAny: Bool, _ visit: Visit) -> HTML {
        let texts = visit.texts
        return postForm(visit, "/classes/\(visit["id"])/badges", .class("card reading")) {
            fieldset {
                legend { texts(BadgesText.who) }
                choice("who", "new", isChosen: true) { texts(BadgesText.onlyNew) }
                if isAny { choice("who", "all", isChosen: false) { texts(BadgesText.everyone) } }
            }
            button(.class("button button-main"), .type("submit")) { texts(BadgesText.make) }
        }
    }

    private static func table(_ content: Content, _ visit: Visit) -> HTML {
        let texts = visit.texts
        return Console.table(
            texts(BadgesText.title),
            head: [
                Console.column(texts(RosterText.columnName)),
                Console.column(texts(BadgesText.columnMade)),
                Console.column(texts(BadgesText.columnUsed)),
                Console.column(texts(BadgesText.void)),
            ]
        ) {
            for holder in content.holders { row(holder, content, visit) }
        }
    }

    private static func row(_ holder: Holder, _ content: Content, _ visit: Visit) -> HTML {
        let texts = visit.texts
        return tr {
            th(.scope("row"), .dirAuto) { holder.name }
            if let madeAt = holder.madeAt {
                td { visit.moment(madeAt) }
                td { holder.lastUsedAt.map { visit.moment($0) } ?? texts(BadgesText.never) }
                td {
                    postForm(
                        visit, "/classes/\(content.schoolClass.id)/badges/\(holder.id)/void"
                    ) {
                        button(
                            .class("button"), .type("submit"),
                            .label(texts(BadgesText.voidOf, ["name": holder.name]))
                        ) { texts(BadgesText.void) }
                    }
                }
            } else {
                td { texts(holder.mayHave ? BadgesText.none : .cannot) }
                td { "" }
                td { "" }
            }
        }
    }
}
