import JSONBytes
import Values

/// What of the audit events is shown.
struct AuditFilter: Sendable {
    let kind: String?
    let from: Day?
    let until: Day?
    /// What was typed to say who did it.
    let by: String?
    /// What was typed to say to whom it was done.
    let about: String?
    private(set) var personID: String?
    private(set) var subjectID: String?
    let accountID: String?

    init(_ visit: Visit) {
        kind = visit.query("kind")
        from = visit.query("from").flatMap { Day($0) }
        until = visit.query("until").flatMap { Day($0) }
        by = visit.query("by")
        about = visit.query("about")
        personID = visit.query("person")
        subjectID = visit.query("subject")
        accountID = visit.query("account")
    }

    /// Finds the people whose names were typed.
    ///
    /// - Returns: whom a name might mean, if that is not one person.
    mutating func resolve(_ visit: Visit) async throws -> AuditCandidates? {
        for (field, words) in [("person", by), ("subject", about)] {
            guard let words else { continue }
            let isManagedID = words.contains("@")
            let page = try await visit.api.get(
                LocalPath("/v1/people?limit=20").with(isManagedID ? "managedId" : "q", words))
            let people = (page["items"]?.array ?? []).compactMap { DirectoryPerson($0) }
            guard people.count == 1 else {
                return AuditCandidates(people: people, isSubject: field == "subject")
            }
            if field == "person" {
                personID = people[0].id
            } else {
                subjectID = people[0].id
            }
        }
        return nil
    }

    /// A page with these filters.
    ///
    /// - Parameters:
    ///   - person: who did it, instead of what was typed.
    ///   - subject: to whom it was done, instead of what was typed.
    func address(
        of path: LocalPath, person: String? = nil, subject: String? = nil
    ) -> LocalPath {
        let person = person ?? personID
        let subject = subject ?? subjectID
        return path.with("kind", kind).with("by", person == nil ? by : nil)
            .with("about", subject == nil ? about : nil).with("person", person)
            .with("subject", subject).with("account", accountID)
            .with("from", from?.description).with("until", until?.description)
    }

    func form(_ visit: Visit) -> HTML {
        let texts = visit.texts
        func text(_ id: String, _ key: AuditText, _ value: String?) -> HTML {
            div(.class("field field-grow")) {
                label(.for(id)) { texts(key) }
                input(
                    .class("input"), .id(id), .name(id), .type("search"), .autocomplete("off"),
                    Attribute("maxlength", "256"), .value(value))
            }
        }
        func day(_ id: String, _ key: AuditText, _ value: Day?) -> HTML {
            div(.class("field")) {
                label(.for(id)) { texts(key) }
                input(
                    .class("input"), .id(id), .name(id), .type("date"),
                    .value(value?.description))
            }
        }
        return getForm(
            "/audit", .class("filter no-print"), .role("search"), .label(texts(AuditText.title))
        ) {
            text("by", .by, by)
            text("about", .about, about)
            Console.choice(
                "kind", label: texts(AuditText.what),
                [("", texts(AuditText.everything))]
                    + AuditKindText.allCases.map { ($0.rawValue, texts($0)) }, chosen: kind ?? "")
            day("from", .from, from)
            day("until", .until, until)
            button(.class("button button-main"), .type("submit")) {
                Icon.search.html
                texts(ConsoleText.search)
            }
            if personID != nil || subjectID != nil || accountID != nil {
                a(.class("button"), .href("/audit")) { texts(AuditText.showAll) }
            }
        }
    }
}

/// The people whom a typed name might mean.
struct AuditCandidates: Sendable {
    let people: [DirectoryPerson]
    /// Whether the name says to whom it was done, and not who did it.
    let isSubject: Bool

    func view(_ filter: AuditFilter, _ texts: Texts) -> HTML {
        guard !people.isEmpty else {
            return emptyBox(texts(PeopleText.emptyTitle), texts(AuditText.nobodyFound))
        }
        return section(.class("stack")) {
            h2 { texts(AuditText.whichTitle) }
            ul(.class("list list-boxed")) {
                for person in people {
                    li {
                        div(.class("grow")) {
                            p {
                                a(.href(link(to: person, filter)), .dirAuto) {
                                    person.name
                                }
                            }
                            p(.class("small soft")) { written(person.managedID) }
                        }
                    }
                }
            }
        }
    }

    private func link(to person: DirectoryPerson, _ filter: AuditFilter) -> LocalPath {
        isSubject
            ? filter.address(of: "/audit", subject: person.id)
            : filter.address(of: "/audit", person: person.id)
    }
}
