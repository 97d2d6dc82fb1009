import JSONBytes
import Values

/// What audit events are about. The keys are the API's kinds.
enum AuditKindText: String, TextKey {
    case signIn, signInFailure, signOut, denial, export, erasure, roleChange, rosterChange
    case personChange, temporaryPassword, passwordChange, organizationChange
    case `import`, tokenCreated, tokenRevoked, developerTeamChange, studentProgressChange
    case licenceChange, poolChange, serviceAccountChange, termClosing, termReopening, removal
    case developmentChange, privilegeChange, classChange, retentionChange, retention, rollover
    case webhookChange, rosterSourceChange, rosterPull, toolChange, connectedSystemChange
    case signInProviderChange, badgeChange

    static let section = "auditKind"
}

/// To what something was done. The keys are the API's words.
enum AuditSubjectText: String, TextKey {
    case person, organization, location, course, `class`, term, `import`, export
    case serviceAccount, session, token, announcement, app
    case connectedSystem, signInProvider, webhook, tool

    static let section = "auditSubject"
}

/// Who did what, as the list of audit events has it.
struct AuditEvent: Sendable {
    let at: Timestamp
    let kind: String
    let standing: String
    let personID: String?
    let accountID: String?
    let app: String?
    let address: String?
    let subject: (kind: String, id: String)?
    let details: [(name: String, value: String)]

    init?(_ item: JSONValue) {
        guard let at = item["at"]?.text.flatMap({ Timestamp($0) }), let kind = item["kind"]?.text
        else { return nil }
        self.at = at
        self.kind = kind
        standing = item["standing"]?.text ?? ""
        personID = item["personId"]?.text
        accountID = item["serviceAccountId"]?.text
        app = item["app"]?.text
        address = item["address"]?.text
        if let kind = item["subjectKind"]?.text, let id = item["subjectId"]?.text {
            subject = (kind, id)
        } else {
            subject = nil
        }
        details = (item["details"]?.object?.members ?? []).map { ($0.key, Self.words($0.value)) }
    }

    /// The people whose names it takes to show the event.
    var people: [String] {
        [personID, subject?.kind == "person" ? subject?.id : nil].compactMap { $0 }
    }

    func kindName(_ texts: Texts) -> String {
        AuditKindText(rawValue: kind).map { texts($0) } ?? kind
    }

    private static func words(_ value: JSONValue) -> String {
        switch value {
        case .text(let text): text
        case .array(let values): values.map(words).joined(separator: ", ")
        default: String(decoding: value.bytes, as: UTF8.self)
        }
    }
}

/// The names behind the ids of events, as far as the visitor may see them.
struct AuditNames: Sendable {
    private var people: [String: DirectoryPerson] = [:]
    private var accounts: [String: String] = [:]

    /// Each person is a call: a page of events has no more than that of them.
    private static let most = 60

    static func load(for events: [AuditEvent], _ visit: Visit) async throws -> AuditNames {
        var names = AuditNames()
        var ids: Set<String> = []
        for event in events { ids.formUnion(event.people) }
        names.people = try await withThrowingTaskGroup(of: DirectoryPerson?.self) { group in
            for id in ids.sorted().prefix(most) {
                group.addTask { try await person(id, visit) }
            }
            var people: [String: DirectoryPerson] = [:]
            while let person = try await group.next() {
                if let person { people[person.id] = person }
            }
            return people
        }
        let isAdministrator = visit.person?.belongs(to: .administrator) == true
        if isAdministrator, events.contains(where: { $0.accountID != nil }) {
            async let current = Console.all("/v1/service-accounts", visit.api)
            async let former = Console.all("/v1/service-accounts?revoked=true", visit.api)
            for account in try await current + former {
                guard let id = account["id"]?.text else { continue }
                names.accounts[id] = account["name"]?.text
            }
        }
        return names
    }

    /// `nil` for someone who was erased.
    private static func person(_ id: String, _ visit: Visit) async throws -> DirectoryPerson? {
        do {
            return DirectoryPerson(try await visit.api.get("/v1/people/\(id)"))
        } catch let refusal as Refusal where refusal.status == 404 {
            return nil
        }
    }

    func person(_ id: String, _ texts: Texts) -> HTML {
        guard let person = people[id] else { return .text(texts(AuditText.someone)) }
        return a(.href("/people/\(id)"), .dirAuto) { person.name }
    }

    /// Empty for what was written before anybody was known.
    private static func standing(_ word: String, _ texts: Texts) -> String {
        switch word {
        case "server": ""
        case "provisioner": texts(ServiceText.provisioner)
        case "exporter": texts(ServiceText.exporter)
        case "rosterReader": texts(ServiceText.rosterReader)
        case "directoryWriter": texts(ServiceText.directoryWriter)
        case "tool": texts(ToolTaskText.tool)
        default: RoleText(rawValue: word).map { texts($0) } ?? word
        }
    }

    /// Who did it, and as what.
    func actor(of event: AuditEvent, _ texts: Texts) -> HTML {
        let standing = Self.standing(event.standing, texts)
        if let id = event.personID {
            return dotted([person(id, texts), .text(standing)])
        }
        if let id = event.accountID {
            let name = accounts[id].map(written) ?? .text(texts(AuditText.script))
            return dotted([name, .text(standing)])
        }
        return .text(texts(event.standing == "server" ? AuditText.nobody : .operation))
    }

    /// To what it was done.
    func subject(of event: AuditEvent, _ texts: Texts) -> HTML {
        guard let subject = event.subject else { return .nothing }
        // What has no word is not named: a code would say nothing.
        let word = AuditSubjectText(rawValue: subject.kind).map { texts($0) } ?? ""
        switch subject.kind {
        case "person": return person(subject.id, texts)
        case "class": return a(.href("/school/classes/\(subject.id)")) { word }
        case "import": return a(.href("/imports/\(subject.id)")) { word }
        default: return .text(word)
        }
    }
}
