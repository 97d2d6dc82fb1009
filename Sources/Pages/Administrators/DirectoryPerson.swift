import JSONBytes
import Values

/// What a person is at a location.
enum RoleText: String, TextKey {
    case administrator, siteManager, peopleManager, contentManager, manager, teacher, staff, student

    static let section = "role"
}

enum PersonStatusText: String, TextKey {
    case new, active, locked, deactivated

    static let section = "personStatus"

    func shown(_ texts: Texts) -> HTML {
        switch self {
        case .new: tag(texts(self), .unopened, .info)
        case .active: tag(texts(self), .done, .good)
        case .locked: tag(texts(self), .locked, .warn)
        case .deactivated: tag(texts(self), .off, .line)
        }
    }
}

/// Someone in the directory, as `GET /v1/people/{id}` says.
struct DirectoryPerson: Sendable {
    struct Role: Sendable, Equatable {
        let word: String
        let locationID: String
    }

    let id: String
    let givenName: String
    let familyName: String
    /// The full name.
    let name: String
    let managedID: String
    let status: PersonStatusText?
    let roles: [Role]
    let isProgressPaused: Bool
    private let fields: JSONValue

    init?(_ item: JSONValue) {
        guard let id = item["id"]?.text, let givenName = item["givenName"]?.text,
            let familyName = item["familyName"]?.text
        else { return nil }
        self.id = id
        self.givenName = givenName
        self.familyName = familyName
        name = FullName(item)?.text ?? ""
        managedID = item["managedId"]?.text ?? ""
        status = item["status"]?.text.flatMap(PersonStatusText.init(rawValue:))
        roles = (item["roles"]?.array ?? []).compactMap { role in
            guard let word = role["role"]?.text, let location = role["locationId"]?.text else {
                return nil
            }
            return Role(word: word, locationID: location)
        }
        isProgressPaused = item["progressPaused"]?.bool == true
        fields = item
    }

    /// A field that need not be there, such as `email`.
    subscript(field: String) -> String? { fields[field]?.text }

    var isStudent: Bool { roles.contains { $0.word == "student" } }

    var isAdministrator: Bool { roles.contains { $0.word == "administrator" } }

    /// Every role once, such as `Teacher and staff`.
    func roleNames(_ texts: Texts) -> String {
        var words: [String] = []
        for role in roles where !words.contains(role.word) { words.append(role.word) }
        return texts.list(words.map { Self.roleName($0, texts) })
    }

    /// The names of the locations where the person is something, each once.
    func locationNames(_ locations: Locations, _ texts: Texts) -> String {
        var ids: [String] = []
        for role in roles where !ids.contains(role.locationID) { ids.append(role.locationID) }
        return texts.list(ids.compactMap { locations.name($0) })
    }

    static func roleName(_ word: String, _ texts: Texts) -> String {
        RoleText(rawValue: word).map { texts($0) } ?? word
    }
}

/// The locations of the organization.
struct Locations: Sendable {
    let all: [(id: String, name: String)]
    private let names: [String: String]

    init(_ items: [JSONValue]) {
        all = items.compactMap { item -> (id: String, name: String)? in
            guard let id = item["id"]?.text, let name = item["name"]?.text else { return nil }
            return (id, name)
        }.sorted { $0.name < $1.name }
        names = Dictionary(all.map { ($0.id, $0.name) }, uniquingKeysWith: { first, _ in first })
    }

    static func load(_ api: Client) async throws -> Locations {
        Locations(try await Console.all("/v1/locations", api))
    }

    func name(_ id: String) -> String? { names[id] }

    var options: [(value: String, text: String)] { all.map { ($0.id, $0.name) } }
}
