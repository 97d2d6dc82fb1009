import HTTPWire
import JSONBytes

enum PersonFormText: String, TextKey {
    case newTitle, editTitle, givenName, middleName, familyName, managedID, managedIDNew
    case email, personNumber, grade, sourceID, sourceIDHint, policy, policyNone
    case names, roles, rolesHint, role, location, noRole, more, save, make
    case nameOrder, givenFirst, familyFirst, orderOfSchool
    case errorTitle, errorRole, errorForeign, errorRoleForbidden, errorGuarded

    static let section = "personForm"
}

/// What the form about a person holds.
struct PersonForm: Sendable {
    static let required = ["givenName", "familyName"]
    static let optional = [
        "middleName", "personNumber", "email", "grade", "sourceId", "passwordPolicy",
    ]

    private(set) var values: [String: String] = [:]
    /// The last ones are empty, for more.
    private(set) var roles: [(word: String, locationID: String)] = []
    /// The version that was read, so that nobody's changes are lost; empty for a new person.
    let tag: String

    /// An empty form.
    init() {
        tag = ""
        roles = [("", ""), ("", "")]
    }

    init(_ person: DirectoryPerson, tag: String) {
        self.tag = tag
        values["givenName"] = person.givenName
        values["familyName"] = person.familyName
        values["managedId"] = person.managedID
        for name in Self.optional { values[name] = person[name] }
        values["nameOrder"] = person["nameOrder"]
        values["formerOrder"] = person["nameOrder"]
        roles = person.roles.map { ($0.word, $0.locationID) } + [("", ""), ("", "")]
    }

    /// - Parameter form: what was sent.
    init(_ form: Form) {
        tag = form["version"]
        for name in Self.required + Self.optional + ["managedId", "nameOrder", "formerOrder"] {
            values[name] = String(form[name].trimmed)
        }
        var row = 0
        while form.has("role-\(row)"), row < 500 {
            roles.append((form["role-\(row)"], form["location-\(row)"]))
            row += 1
        }
    }

    subscript(name: String) -> String { values[name] ?? "" }

    /// The rows that have a role, with their positions in the form.
    private var chosen: [(row: Int, word: String, locationID: String)] {
        roles.enumerated().filter { !$0.element.word.isEmpty }
            .map { ($0.offset, $0.element.word, $0.element.locationID) }
    }

    /// The body of `POST`, or of `PATCH`, in which an emptied field goes back to its default.
    func body(isNew: Bool) -> JSONValue {
        var body = JSONObject()
        for name in Self.required { body[name] = .text(self[name]) }
        for name in Self.optional {
            if let text = self[name].nilIfEmpty {
                body[name] = .text(text)
            } else if !isNew {
                body[name] = .null
            }
        }
        // Sent only where it was changed: a person whose order is that of the school keeps following it.
        if self["nameOrder"] != self["formerOrder"] {
            body["nameOrder"] = self["nameOrder"].nilIfEmpty.map { .text($0) } ?? .null
        }
        if let managedID = self["managedId"].nilIfEmpty { body["managedId"] = .text(managedID) }
        body["roles"] = .array(
            chosen.map { ["role": .text($0.word), "locationId": .text($0.locationID)] })
        return .object(body)
    }

    /// What the API found wrong, in words beside the fields.
    func problems(_ refusal: Refusal, _ texts: Texts) throws -> FormProblems {
        var problems = FormProblems()
        switch (refusal.status, refusal.code) {
        case (403, "guarded_sign_in"):
            for pointer in refusal.fields.keys {
                problems.add(field(pointer), texts(PersonFormText.errorGuarded))
            }
        case (403, _): problems.add("role-0", texts(PersonFormText.errorRoleForbidden))
        case (_, "last_administrator"):
            problems.add("role-0", texts(PersonActionText.lastAdministrator))
        default:
            for (pointer, code) in refusal.fields.sorted(by: { $0.key < $1.key }) {
                let id = field(pointer)
                if problems[id] == nil { problems.add(id, words(id, code, texts)) }
            }
        }
        guard !problems.isEmpty else { throw refusal }
        return problems
    }

    /// The field that a pointer means.
    private func field(_ pointer: String) -> String {
        let parts = pointer.split(separator: "/").map(String.init)
        guard parts.first == "roles" else { return parts.first ?? "givenName" }
        let rows = chosen.map { $0.row }
        let index = parts.count > 1 ? Int(parts[1]) ?? 0 : 0
        return "role-\(index < rows.count ? rows[index] : 0)"
    }

    private func words(_ id: String, _ code: String, _ texts: Texts) -> String {
        if id.hasPrefix("role-") { return texts(PersonFormText.errorRole) }
        if self[id].isEmpty { return texts(ConsoleText.errorMissing) }
        if code == "foreign_domain" { return texts(PersonFormText.errorForeign) }
        if code.hasSuffix("_taken") { return texts(ConsoleText.errorTaken) }
        if code == "too_long" { return texts(ConsoleText.errorTooLong) }
        return texts(ConsoleText.errorWrong)
    }
}
