import JSONBytes
import Values

enum AccountText: String, TextKey {
    case title, password, passwordHint, changePassword, withoutPassword, byBadge
    case sessions, sessionsHint, sessionsHintWithout, thisBrowser, started, lastUsed, from, end,
        endOthers
    case browser, browserUnknown, app, system, script
    case noticeEnded, noticeOthersEnded

    static let section = "account"
}

/// `/me/sign-in`: the password, and where one is signed in.
enum Account: Screen {
    static var pages: [Page] {
        [
            .show("/me/sign-in", for: .person) { visit in
                let list = try await visit.api.get("/v1/me/sessions?limit=100")
                return (list["items"]?.array ?? []).compactMap(Entry.init)
            } render: { entries, visit in
                view(entries, visit)
            },
            .post("/me/sessions/{id}/end", for: .person) { form, visit in
                try await visit.api.delete("/v1/me/sessions/\(visit["id"])")
                return .redirect(
                    LocalPath(returning: form["to"]) ?? "/me/sign-in",
                    notice: Notice(AccountText.noticeEnded))
            },
            .post("/me/sessions/end-others", for: .person) { _, visit in
                try await visit.api.delete("/v1/me/sessions")
                return .redirect("/me/sign-in", notice: Notice(AccountText.noticeOthersEnded))
            },
        ]
    }

    /// One session of the person.
    struct Entry: Sendable {
        let id: String
        let kind: String
        let bundleID: String?
        /// What the school calls the app or system that holds it.
        let clientName: String?
        let userAgent: String?
        let address: String?
        let startedAt: Timestamp
        let lastUsedAt: Timestamp
        let isCurrent: Bool

        init?(_ item: JSONValue) {
            guard let id = item["id"]?.text, let kind = item["kind"]?.text,
                let startedAt = item["startedAt"]?.text.flatMap({ Timestamp($0) })
            else { return nil }
            self.id = id
            self.kind = kind
            bundleID = item["bundleId"]?.text
            clientName = item["clientName"]?.text ?? bundleID
            userAgent = item["userAgent"]?.text
            address = item["address"]?.text
            self.startedAt = startedAt
            lastUsedAt = item["lastUsedAt"]?.text.flatMap { Timestamp($0) } ?? startedAt
            isCurrent = item["current"]?.bool ?? false
        }

        /// Such as `Firefox on Windows`.
        func name(_ texts: Texts) -> String {
            switch kind {
            case "browser":
                guard let agent = userAgent.flatMap(UserAgent.init) else {
                    return texts(AccountText.browserUnknown)
                }
                return texts(
                    AccountText.browser, ["browser": agent.browser, "system": agent.system])
            case "app": return texts(AccountText.app, ["app": clientName ?? ""])
            case "system": return texts(AccountText.system, ["system": clientName ?? ""])
            default: return texts(AccountText.script)
            }
        }
    }

    private static func view(_ entries: [Entry], _ visit: Visit) -> View {
        let texts = visit.texts
        return View(texts(AccountText.title)) {
            heading(
                texts(AccountText.title), below: .text(visit.person?.managedID ?? ""))
            section(.class("card reading")) {
                h2 { texts(AccountText.password) }
                if visit.person?.isByBadge == true {
                    p { texts(AccountText.byBadge) }
                } else if visit.person?.usesPassword == true {
                    p(.class("soft")) { texts(AccountText.passwordHint) }
                    p {
                        a(.class("button"), .href(NewPassword.address.with("to", "/me/sign-in"))) {
                            texts(AccountText.changePassword)
                        }
                    }
                } else {
                    p { texts(AccountText.withoutPassword) }
                }
            }
            section(.class("card reading")) {
                h2(.id("sessions")) { texts(AccountText.sessions) }
                let uses = visit.person?.usesPassword == true
                p(.class("soft")) {
                    texts(uses ? AccountText.sessionsHint : .sessionsHintWithout)
                }
                ul(.class("list list-wraps"), .labelledBy("sessions")) {
                    for entry in entries { li { row(entry, visit) } }
                }
                if entries.contains(where: { !$0.isCurrent }) {
                    postForm(visit, "/me/sessions/end-others") {
                        button(.class("button button-risk"), .type("submit")) {
                            texts(AccountText.endOthers)
                        }
                    }
                }
            }
        }
    }

    @HTMLBuilder
    private static func row(_ entry: Entry, _ visit: Visit) -> [HTML] {
        let texts = visit.texts
        div(.class("grow")) {
            p { strong { entry.name(texts) } }
            p(.class("small soft")) {
                dotted([
                    .text(texts(AccountText.lastUsed, ["when": visit.moment(entry.lastUsedAt)])),
                    .text(texts(AccountText.started, ["when": visit.moment(entry.startedAt)])),
                    .text(entry.address.map { texts(AccountText.from, ["address": $0]) } ?? ""),
                ])
            }
        }
        div(.class("wrap-end")) {
            if entry.isCurrent {
                tag(texts(AccountText.thisBrowser), .done, .good)
            } else {
                postForm(visit, "/me/sessions/\(entry.id)/end") {
                    button(
                        .class("button"), .type("submit"),
                        .label("\(texts(AccountText.end)): \(entry.name(texts))")
                    ) { texts(AccountText.end) }
                }
            }
        }
    }
}

/// What a browser says that it is, as far as it helps to recognise it in a list.
struct UserAgent: Sendable, Equatable {
    let browser: String
    let system: String

    /// `nil` if browser or system is not a common one.
    init?(_ text: String) {
        func first(_ marks: [(mark: String, name: String)]) -> String? {
            marks.first { text.contains($0.mark) }?.name
        }
        // Browsers also name those that they descend from, so the order matters.
        let browser = first([
            ("Edg/", "Edge"), ("OPR/", "Opera"), ("Firefox/", "Firefox"), ("FxiOS/", "Firefox"),
            ("CriOS/", "Chrome"), ("Chrome/", "Chrome"), ("Safari/", "Safari"),
        ])
        let system = first([
            ("iPhone", "iPhone"), ("iPad", "iPad"), ("Android", "Android"), ("CrOS", "ChromeOS"),
            ("Windows", "Windows"), ("Mac OS X", "macOS"), ("Linux", "Linux"),
        ])
        guard let browser, let system else { return nil }
        self.browser = browser
        self.system = system
    }
}
