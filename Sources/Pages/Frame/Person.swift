import JSONBytes
import Values

/// Who is signed in, as `GET /v1/me` says.
package struct Person: Sendable {
    package let id: String
    package let name: FullName
    package let managedID: String
    /// The name of the organization.
    package let school: String
    package let timeZone: TimeZone
    /// Whether a password counts for this person.
    let usesPassword: Bool
    /// Whether a badge signed this person in, which opens nothing about how one signs in.
    let isByBadge: Bool
    /// Whether nobody but administrators has a password at the school.
    let isSchoolWithoutPasswords: Bool
    let signInChanges: [SignInChange]
    private let standings: Set<String>

    /// `nil` for a token that is not a person's.
    init?(_ me: JSONValue) {
        guard let person = me["person"], let id = person["id"]?.text,
            let name = FullName(person)
        else { return nil }
        self.id = id
        self.name = name
        managedID = person["managedId"]?.text ?? ""
        school = me["organization"]?["name"]?.text ?? ""
        timeZone = me["organization"]?["timeZone"]?.text.map(TimeZone.named) ?? .utc
        usesPassword = person["usesPassword"]?.bool != false
        isByBadge = me["byBadge"]?.bool == true
        isSchoolWithoutPasswords = me["organization"]?["withoutPasswords"]?.bool == true
        signInChanges =
            isByBadge ? [] : (person["signInChanges"]?.array ?? []).compactMap(SignInChange.init)
        standings = Set((me["standings"]?.array ?? []).compactMap(\.text))
    }

    /// Whether pages for that audience are offered to this person.
    package func belongs(to audience: Audience) -> Bool {
        switch audience {
        case .anyone, .person: true
        case .teacher: standings.contains("teacher")
        case .student: standings.contains("student")
        case .manager: !standings.isDisjoint(with: Self.managers)
        case .peopleManager: !standings.isDisjoint(with: Self.peopleManagers)
        case .licenceManager:
            standings.contains("administrator") || standings.contains("contentManager")
        case .directoryManager: !standings.isDisjoint(with: Self.directoryManagers)
        case .administrator: standings.contains("administrator")
        }
    }

    private static let directoryManagers: Set<String> = [
        "administrator", "siteManager", "peopleManager",
    ]
    private static let peopleManagers = directoryManagers.union(["manager"])
    private static let managers = peopleManagers.union(["contentManager"])

    /// The role that the bar names: the one that the person came for first.
    var mainRole: CommonText {
        if belongs(to: .teacher) { return .roleTeacher }
        if belongs(to: .student) { return .roleStudent }
        if belongs(to: .administrator) { return .roleAdministrator }
        return belongs(to: .manager) ? .roleManager : .roleStaff
    }
}

/// Whom a page is offered to. It decides about links and the start page only: the API decides what a person may see.
package enum Audience: Sendable {
    /// Also who is not signed in.
    case anyone
    case person
    case teacher
    case student
    /// Who runs the directory, licences or the school.
    case manager
    /// Who changes people.
    case peopleManager
    /// Who runs the whole directory.
    case directoryManager
    /// Who runs apps and licences.
    case licenceManager
    case administrator
}
