import HTTPWire
import JSONBytes
import Values

enum ServiceText: String, TextKey {
    case title, intro, new, name, nameHint, role, provisioner, exporter, provisionerHint
    case exporterHint, rosterReader, rosterReaderHint, directoryWriter, directoryWriterHint
    case expires, expiresHint, never, lastUsed, neverUsed, emptyTitle, emptyAdvice
    case make, errorTitle, errorPast, rename, save, rotate, rotateTitle, rotateDoes
    case revoke, revokeTitle, revokeDoes, revoked, revokedOn, secretTitle, secretOnce, clientID
    case secret, events, secretSince, back
    case location, locationHint, noLocation, noticeRenamed, noticeRevoked

    static let section = "service"
}

/// A script of the school with a standing of its own, as `GET /v1/service-accounts/{id}` says.
struct ServiceAccount: Sendable {
    let id: String
    let name: String
    let role: String
    let expiresAt: Timestamp?
    let revokedAt: Timestamp?
    let secretChangedAt: Timestamp?
    /// Where a directory writer puts people of which it does not say where.
    let locationID: String?

    init?(_ item: JSONValue) {
        guard let id = item["id"]?.text, let name = item["name"]?.text else { return nil }
        func moment(_ field: String) -> Timestamp? {
            item[field]?.text.flatMap { Timestamp($0) }
        }
        self.id = id
        self.name = name
        role = item["role"]?.text ?? ""
        expiresAt = moment("expiresAt")
        revokedAt = moment("revokedAt")
        secretChangedAt = moment("secretChangedAt")
        locationID = item["defaultLocationId"]?.text
    }

    /// Whether it can be granted the gradebook of classes.
    var usesGradebooks: Bool { role == "rosterReader" && revokedAt == nil }

    static func load(_ visit: Visit) async throws -> ServiceAccount {
        let item = try await visit.api.get("/v1/service-accounts/\(visit["id"])")
        guard let account = ServiceAccount(item) else { throw UnexpectedDocument() }
        return account
    }

    func roleName(_ texts: Texts) -> String {
        switch role {
        case "provisioner": texts(ServiceText.provisioner)
        case "exporter": texts(ServiceText.exporter)
        case "rosterReader": texts(ServiceText.rosterReader)
        case "directoryWriter": texts(ServiceText.directoryWriter)
        default: role
        }
    }
}

/// `/services`: the scripts that use the school's data.
enum ServiceAccounts: Screen {
    static var pages: [Page] {
        [
            .show(
                "/services", for: .administrator, menu: MenuEntry(.shield, ServiceText.title),
                load: load, render: view)
        ]
    }

    struct Content: Sendable {
        let accounts: [(account: ServiceAccount, lastUsed: Timestamp?)]
        let revoked: [ServiceAccount]
    }

    /// For how many accounts the last use is looked up: each is a call.
    private static let most = 50

    private static func load(_ visit: Visit) async throws -> Content {
        async let current = Console.all("/v1/service-accounts", visit.api)
        async let former = Console.all("/v1/service-accounts?revoked=true", visit.api)
        let accounts = try await current.compactMap { ServiceAccount($0) }
        let uses = try await withThrowingTaskGroup(of: (String, Timestamp?).self) { group in
            for account in accounts.prefix(most) {
                group.addTask { (account.id, try await lastUse(of: account.id, visit)) }
            }
            var uses: [String: Timestamp] = [:]
            while let (id, moment) = try await group.next() { uses[id] = moment }
            return uses
        }
        return Content(
            accounts: accounts.map { ($0, uses[$0.id]) },
            revoked: try await former.compactMap { ServiceAccount($0) })
    }

    /// When the account last got a token or changed something: the newest of its audit events.
    private static func lastUse(of id: String, _ visit: Visit) async throws -> Timestamp? {
        let page = try await visit.api.get(
            LocalPath("/v1/audit-events?limit=1").with("serviceAccountId", id))
        return page["items"]?.array?.first?["at"]?.text.flatMap { Timestamp($0) }
    }

    private static func view(_ content: Content, _ visit: Visit) -> View {
        let texts = visit.texts
        return View(texts(ServiceText.title)) {
            heading(texts(ServiceText.title), below: .text(texts(ServiceText.intro))) {
                a(.class("button button-main"), .href("/services/new")) {
                    Icon.plus.html
                    texts(ServiceText.new)
                }
            }
            if content.accounts.isEmpty {
                emptyBox(texts(ServiceText.emptyTitle), texts(ServiceText.emptyAdvice))
            } else {
                Console.table(
                    texts(ServiceText.title),
                    head: [ServiceText.name, .role, .lastUsed, .expires].map {
                        Console.column(texts($0))
                    }
                ) {
                    for item in content.accounts { row(item.account, item.lastUsed, visit) }
                }
            }
            if !content.revoked.isEmpty {
                section(.class("stack")) {
                    h2 { texts(ServiceText.revoked) }
                    ul(.class("list list-boxed")) {
                        for account in content.revoked { li { former(account, visit) } }
                    }
                }
            }
        }
    }

    private static func row(
        _ account: ServiceAccount, _ lastUsed: Timestamp?, _ visit: Visit
    ) -> HTML {
        let texts = visit.texts
        return tr {
            th(.scope("row")) {
                a(.href("/services/\(account.id)"), .dirAuto) { account.name }
            }
            td { account.roleName(texts) }
            td { lastUsed.map { visit.moment($0) } ?? texts(ServiceText.neverUsed) }
            td { account.expiresAt.map { visit.moment($0) } ?? texts(ServiceText.never) }
        }
    }

    private static func former(_ account: ServiceAccount, _ visit: Visit) -> HTML {
        div(.class("grow")) {
            p { written(account.name) }
            p(.class("small soft")) {
                dotted([
                    .text(account.roleName(visit.texts)),
                    account.revokedAt.map {
                        .text(
                            visit.texts(ServiceText.revokedOn, ["when": visit.moment($0)]))
                    } ?? .nothing,
                ])
            }
        }
    }
}
