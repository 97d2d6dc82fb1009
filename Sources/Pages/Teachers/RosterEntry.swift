import JSONBytes
import Values

/// A student as the teachers of the class see him or her.
struct RosterEntry: Sendable {
    enum Status: String, Sendable {
        case new, active, locked, deactivated
    }

    let id: String
    let name: String
    let managedID: String
    let status: Status

    init?(_ person: JSONValue) {
        guard let id = person["id"]?.text, let name = FullName(person) else { return nil }
        self.id = id
        self.name = name.text
        managedID = person["managedId"]?.text ?? ""
        status = person["status"]?.text.flatMap(Status.init) ?? .active
    }

    /// The students of a class, by family name.
    static func students(of classID: String, _ api: Client) async throws -> [RosterEntry] {
        var entries: [RosterEntry] = []
        var token: String?
        repeat {
            let page = try await api.get(
                LocalPath("/v1/classes/\(classID)/students?limit=1000").with("pageToken", token))
            entries += (page["items"]?.array ?? []).compactMap(RosterEntry.init)
            token = page["nextPageToken"]?.text
        } while token != nil
        return entries
    }
}

/// A class with its name, as pages below it need it.
struct TaughtClass: Sendable {
    let id: String
    let name: String
    /// Their names by their ids.
    let teachers: [String: String]
    let isArchived: Bool

    static func load(_ id: String, _ api: Client) async throws -> TaughtClass {
        TaughtClass(try await api.get("/v1/classes/\(id)"), id: id)
    }

    init(_ item: JSONValue, id: String) {
        self.id = item["id"]?.text ?? id
        name = item["displayName"]?.text ?? item["name"]?.text ?? ""
        isArchived = item["status"]?.text == "archived"
        var teachers: [String: String] = [:]
        for teacher in item["teachers"]?.array ?? [] {
            guard let id = teacher["personId"]?.text else { continue }
            teachers[id] = FullName(teacher)?.text ?? ""
        }
        self.teachers = teachers
    }
}

/// A class with its students.
struct Members: Sendable {
    let schoolClass: TaughtClass
    let students: [RosterEntry]

    static func load(_ classID: String, _ api: Client) async throws -> Members {
        async let schoolClass = TaughtClass.load(classID, api)
        async let students = RosterEntry.students(of: classID, api)
        return try await Members(schoolClass: schoolClass, students: students)
    }
}
