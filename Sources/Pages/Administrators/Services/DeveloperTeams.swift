import HTTPWire
import JSONBytes
import Values

enum TeamText: String, TextKey {
    case title, intro, new, name, teamID, teamIDHint, bundleIDs, bundleIDsHint, keys, keyID
    case keyIDHint, publicKey, publicKeyHint, emptyTitle, emptyAdvice, byOperator, make, save
    case errorTitle, errorKey, errorKeyID, errorTeam, errorBundle, remove, removeTitle, removeDoes
    case keyCount, noKey, keepKeys
    case noticeMade, noticeSaved, noticeRemoved
    case development, developmentIntro, on, off, turnOn, turnOff, turnOffTitle, turnOffDoes
    case reset, resetTitle, resetDoes, people, since, noticeOn, noticeOff, noticeReset

    static let section = "team"
}

/// A developer team, as `GET /v1/developer-teams/{teamId}` says.
struct DeveloperTeam: Sendable {
    struct Key: Sendable {
        let id: String
        let pem: String
    }

    let id: String
    let name: String
    let bundleIDs: [String]
    let keys: [Key]
    /// Whether the operator registered it for every school.
    let isDeployment: Bool

    init?(_ item: JSONValue) {
        guard let id = item["teamId"]?.text, let name = item["name"]?.text else { return nil }
        self.id = id
        self.name = name
        bundleIDs = (item["bundleIds"]?.array ?? []).compactMap(\.text)
        keys = (item["keys"]?.array ?? []).compactMap { key in
            guard let id = key["keyId"]?.text, let pem = key["publicKey"]?.text else { return nil }
            return Key(id: id, pem: pem)
        }
        isDeployment = item["origin"]?.text == "deployment"
    }

    static func load(_ visit: Visit) async throws -> (team: DeveloperTeam, tag: String) {
        let found = try await visit.api.getTagged("/v1/developer-teams/\(visit["id"])")
        guard let team = DeveloperTeam(found.document) else { throw UnexpectedDocument() }
        return (team, found.tag)
    }
}

/// `/developers`: who may publish what can be assigned, and the environment in which developers try it out.
enum DeveloperTeams: Screen {
    static var pages: [Page] {
        [
            .show(
                "/developers", for: .administrator, menu: MenuEntry(.ticket, TeamText.title),
                load: load, render: view),
            .post("/developers/development", for: .administrator) { _, visit in
                try await visit.api.put("/v1/development")
                return .redirect("/developers", notice: Notice(TeamText.noticeOn))
            },
            question("reset", .resetTitle, .resetDoes, .reset),
            question("off", .turnOffTitle, .turnOffDoes, .turnOff),
            .post("/developers/development/reset", for: .administrator) { _, visit in
                try await visit.api.post("/v1/development/reset")
                return .redirect("/developers", notice: Notice(TeamText.noticeReset))
            },
            .post("/developers/development/off", for: .administrator) { _, visit in
                try await visit.api.delete("/v1/development")
                return .redirect("/developers", notice: Notice(TeamText.noticeOff))
            },
        ]
    }

    private static func question(
        _ name: String, _ title: TeamText, _ does: TeamText, _ button: TeamText
    ) -> Page {
        Console.question(
            "/developers/development/\(name)", title: title, does: does, button: button,
            back: { _ in "/developers" })
    }

    struct Content: Sendable {
        let teams: [DeveloperTeam]
        /// `nil` while it is off.
        let development: JSONValue?
    }

    private static func load(_ visit: Visit) async throws -> Content {
        async let teams = Console.all("/v1/developer-teams", visit.api)
        async let development = development(visit)
        return try await Content(
            teams: teams.compactMap { DeveloperTeam($0) }, development: development)
    }

    private static func development(_ visit: Visit) async throws -> JSONValue? {
        do {
            return try await visit.api.get("/v1/development")
        } catch let refusal as Refusal where refusal.status == 404 {
            return nil
        }
    }

    private static func view(_ content: Content, _ visit: Visit) -> View {
        let texts = visit.texts
        return View(texts(TeamText.title)) {
            heading(texts(TeamText.title), below: .text(texts(TeamText.intro))) {
                a(.class("button button-main"), .href("/developers/new")) {
                    Icon.plus.html
                    texts(TeamText.new)
                }
            }
            if content.teams.isEmpty {
                emptyBox(texts(TeamText.emptyTitle), texts(TeamText.emptyAdvice))
            } else {
                ul(.class("list list-boxed")) {
                    for team in content.teams { li { row(team, texts) } }
                }
            }
            development(content.development, visit)
        }
    }

    private static func row(_ team: DeveloperTeam, _ texts: Texts) -> HTML {
        div(.class("grow")) {
            p {
                a(.href("/developers/\(team.id)"), .dirAuto) { team.name }
                if team.isDeployment {
                    " "
                    tag(texts(TeamText.byOperator), .info, .line)
                }
            }
            p(.class("small soft")) {
                dotted([
                    code { team.id },
                    .text(
                        team.keys.isEmpty
                            ? texts(TeamText.noKey)
                            : texts(TeamText.keyCount, count: team.keys.count)),
                ])
            }
            p(.class("small code")) { team.bundleIDs.joined(separator: ", ") }
        }
    }

    private static func development(_ environment: JSONValue?, _ visit: Visit) -> HTML {
        let texts = visit.texts
        return section(.class("card reading")) {
            div(.class("row row-apart")) {
                h2 { texts(TeamText.development) }
                tag(
                    texts(environment == nil ? TeamText.off : .on),
                    environment == nil ? .off : .done, environment == nil ? .line : .good)
            }
            p { texts(TeamText.developmentIntro) }
            if let environment {
                p(.class("soft")) { summary(environment, visit) }
                div(.class("row")) {
                    a(.class("button"), .href("/developers/development/reset")) {
                        texts(TeamText.reset)
                    }
                    a(.class("button button-risk"), .href("/developers/development/off")) {
                        texts(TeamText.turnOff)
                    }
                }
            } else {
                postForm(visit, "/developers/development") {
                    button(.class("button"), .type("submit")) { texts(TeamText.turnOn) }
                }
            }
        }
    }

    /// How many made-up people there are, and since when.
    private static func summary(_ environment: JSONValue, _ visit: Visit) -> HTML {
        let texts = visit.texts
        let people = environment["people"]?.array ?? []
        let since = environment["turnedOnAt"]?.text.flatMap { Timestamp($0) }
        return dotted([
            .text(texts(TeamText.people, count: people.count)),
            .text(since.map { texts(TeamText.since, ["when": visit.moment($0)]) } ?? ""),
        ])
    }
}
