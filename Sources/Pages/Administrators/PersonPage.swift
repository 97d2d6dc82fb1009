import JSONBytes
import Values

enum PersonText: String, TextKey {
    case edit, identity, managedID, sourceID, personNumber, email, passwordPolicy
    case policy4, policy6, policy8
    case roles, classes, noClasses, teaches, learns
    case lockedTitle, locked, unlock
    case password, passwordHint, newPassword
    case sessions, noSessions, endSession
    case accounts, accountsHint, forgetAccounts, noticeForgotten
    case progress, progressOn, progressOff, pause, resume
    case data, dataHint, exportData, leaving, deactivate, reactivate, erase, actions
    case links, giveApp, didWhat, doneTo
    case noticeMade, noticeMadeWithout, noticeSaved, noticeUnlocked, noticeEnded, noticeReactivated
    case noticeDeactivated, noticePaused, noticeResumed, noticeErased

    static let section = "person"
}

/// `/people/{id}`: one person, without any progress.
enum PersonPage: Screen {
    static var pages: [Page] {
        [.show("/people/{id}", for: .manager, load: load, render: view)]
    }

    struct Content: Sendable {
        let person: DirectoryPerson
        let locations: Locations
        let classes: [JSONValue]
    }

    private static func load(_ visit: Visit) async throws -> Content {
        let id = visit["id"]
        async let item = visit.api.get("/v1/people/\(id)")
        async let locations = Locations.load(visit.api)
        async let classes = visit.api.get("/v1/classes?personId=\(id)&limit=100")
        guard let person = DirectoryPerson(try await item) else { throw UnexpectedDocument() }
        return try await Content(
            person: person, locations: locations, classes: classes["items"]?.array ?? [])
    }

    private static func view(_ content: Content, _ visit: Visit) -> View {
        let texts = visit.texts
        let person = content.person
        let changes = visit.person?.belongs(to: .peopleManager) == true
        return View(person.name) {
            div {
                Console.crumbs(texts, [("/people", .text(texts(PeopleText.title)))])
                heading(
                    person.name, below: People.roles(person, texts),
                    tags: person.status?.shown(texts) ?? .nothing
                ) {
                    if changes {
                        a(.class("button"), .href("/people/\(person.id)/edit")) {
                            Icon.draft.html
                            texts(PersonText.edit)
                        }
                    }
                }
            }
            if person.status == .locked { lockNotice(person, changes, visit) }
            div(.class("two")) {
                div(.class("stack")) {
                    identity(person, texts)
                    roles(person, content.locations, texts)
                    classes(content.classes, of: person, texts)
                    if visit.person?.belongs(to: .directoryManager) == true {
                        p {
                            a(.href("/people/\(person.id)/sign-ins")) {
                                texts(PersonText.sessions)
                            }
                        }
                    }
                }
                div(.class("stack")) {
                    if changes { PersonActions.aside(person, visit) }
                    links(person, visit)
                }
            }
        }
    }

    /// The way to what else there is about the person.
    private static func links(_ person: DirectoryPerson, _ visit: Visit) -> HTML {
        let texts = visit.texts
        let givesApps = visit.person?.belongs(to: .licenceManager) == true
        let readsAudit = visit.person?.belongs(to: .directoryManager) == true
        guard givesApps || readsAudit else { return .nothing }
        return section(.class("card")) {
            h2 { texts(PersonText.links) }
            if givesApps, person.status != .deactivated {
                p {
                    a(.href(LocalPath("/apps").with("person", person.id))) {
                        texts(PersonText.giveApp)
                    }
                }
            }
            if readsAudit {
                p {
                    a(.href(LocalPath("/audit").with("person", person.id))) {
                        texts(PersonText.didWhat)
                    }
                }
                p {
                    a(.href(LocalPath("/audit").with("subject", person.id))) {
                        texts(PersonText.doneTo)
                    }
                }
            }
            if visit.person?.belongs(to: .administrator) == true {
                p {
                    a(.href(LocalPath("/settings/data/holds/new").with("person", person.id))) {
                        texts(RetentionText.keepPerson)
                    }
                }
            }
        }
    }

    private static func lockNotice(
        _ person: DirectoryPerson, _ changes: Bool, _ visit: Visit
    ) -> HTML {
        notice(.warn, .locked) {
            p { strong { visit.texts(PersonText.lockedTitle) } }
            p { visit.texts(PersonText.locked) }
            if changes {
                postForm(visit, "/people/\(person.id)/unlock") {
                    button(.class("button"), .type("submit")) { visit.texts(PersonText.unlock) }
                }
            }
        }
    }

    private static func identity(_ person: DirectoryPerson, _ texts: Texts) -> HTML {
        let none = HTML.text(texts(ConsoleText.none))
        func optional(_ field: String) -> HTML { person[field].map(written) ?? none }
        let policy: PersonText? =
            switch person["passwordPolicy"] {
            case "4": .policy4
            case "6": .policy6
            case "8": .policy8
            default: nil
            }
        return section(.class("card")) {
            h2 { texts(PersonText.identity) }
            dl(.class("facts")) {
                Console.fact(
                    texts(PersonText.managedID), span(.class("code")) { written(person.managedID) })
                Console.fact(texts(PersonText.sourceID), optional("sourceId"))
                Console.fact(texts(PersonText.personNumber), optional("personNumber"))
                Console.fact(texts(PersonText.email), optional("email"))
                if let policy {
                    Console.fact(texts(PersonText.passwordPolicy), .text(texts(policy)))
                }
            }
        }
    }

    private static func roles(
        _ person: DirectoryPerson, _ locations: Locations, _ texts: Texts
    ) -> HTML {
        section(.class("card")) {
            h2 { texts(PersonText.roles) }
            dl(.class("facts")) {
                for role in person.roles {
                    Console.fact(
                        DirectoryPerson.roleName(role.word, texts),
                        written(locations.name(role.locationID) ?? ""))
                }
            }
        }
    }

    private static func classes(
        _ items: [JSONValue], of person: DirectoryPerson, _ texts: Texts
    ) -> HTML {
        section(.class("card")) {
            h2 { texts(PersonText.classes) }
            if items.isEmpty { p(.class("soft")) { texts(PersonText.noClasses) } }
            ul(.class("list")) {
                for item in items {
                    li {
                        let name = item["displayName"]?.text ?? item["name"]?.text ?? ""
                        let teachers = (item["teacherIds"]?.array ?? []).compactMap(\.text)
                        chip(name, id: item["id"]?.text ?? "")
                        div(.class("grow")) {
                            p {
                                a(.href("/school/classes/\(item["id"]?.text ?? "")"), .dirAuto) {
                                    name
                                }
                            }
                            p(.class("small soft")) {
                                dotted([
                                    (item["number"]?.text).map(written) ?? .nothing,
                                    .text(
                                        texts(
                                            teachers.contains(person.id)
                                                ? PersonText.teaches : .learns)),
                                ])
                            }
                        }
                    }
                }
            }
        }
    }
}
