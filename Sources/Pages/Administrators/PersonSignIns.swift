import JSONBytes

/// `/people/{id}/sign-ins`: where a person is signed in.
///
/// A page of its own, because the API notes it when it refuses: it should be asked only by those who want to know.
enum PersonSignIns: Screen {
    static var pages: [Page] {
        [.show("/people/{id}/sign-ins", for: .directoryManager, load: load, render: view)]
    }

    struct Content: Sendable {
        let person: DirectoryPerson
        let sessions: [Account.Entry]
    }

    private static func load(_ visit: Visit) async throws -> Content {
        let id = visit["id"]
        async let item = visit.api.get("/v1/people/\(id)")
        async let sessions = visit.api.get("/v1/people/\(id)/sessions?limit=100")
        guard let person = DirectoryPerson(try await item) else { throw UnexpectedDocument() }
        return Content(
            person: person,
            sessions: (try await sessions["items"]?.array ?? []).compactMap(Account.Entry.init))
    }

    private static func view(_ content: Content, _ visit: Visit) -> View {
        let texts = visit.texts
        let person = content.person
        return View(texts(PersonText.sessions)) {
            div {
                Console.crumbs(
                    texts,
                    [
                        ("/people", .text(texts(PeopleText.title))),
                        ("/people/\(person.id)", .text(person.name)),
                    ])
                heading(texts(PersonText.sessions))
            }
            list(content.sessions, of: person, visit)
            section(.class("card")) {
                h2 { texts(PersonText.accounts) }
                p(.class("soft")) { texts(PersonText.accountsHint) }
                postForm(visit, "/people/\(person.id)/sign-in-links/end") {
                    button(.class("button"), .type("submit")) { texts(PersonText.forgetAccounts) }
                }
            }
        }
    }

    private static func list(
        _ sessions: [Account.Entry], of person: DirectoryPerson, _ visit: Visit
    ) -> HTML {
        let texts = visit.texts
        return section(.class("card")) {
            if sessions.isEmpty { p(.class("soft")) { texts(PersonText.noSessions) } }
            ul(.class("list list-wraps")) {
                for entry in sessions {
                    li {
                        div(.class("grow")) {
                            p(.class("strong")) { entry.name(texts) }
                            p(.class("small soft")) {
                                let when = visit.moment(entry.lastUsedAt)
                                texts(AccountText.lastUsed, ["when": when])
                            }
                        }
                        if entry.isCurrent {
                            tag(texts(AccountText.thisBrowser), .done, .good)
                        } else {
                            postForm(visit, "/people/\(person.id)/sessions/\(entry.id)/end") {
                                button(
                                    .class("button"), .type("submit"),
                                    .label("\(texts(PersonText.endSession)): \(entry.name(texts))")
                                ) { texts(PersonText.endSession) }
                            }
                        }
                    }
                }
            }
        }
    }
}
