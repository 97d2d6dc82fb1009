import API
import Crypto
import JSONBytes
import Postgres
import School
import Values

/// A task as a teacher sends it.
struct NewTask: Sendable {
    let id: TaskID
    /// Whether the task keeps its id: it exists already, or the body claims that it does.
    let stays: Bool
    let kind: String
    let bundleID: String?
    let identifierPath: [String]?
    let minutes: Int?
    let url: String?
    /// The title of a link; for other tasks, the stored title from the app.
    var title: String?
    /// The app's titles by locale, if there are several, as in `task.titles`.
    var titles: JSONValue?
    /// The owner of a native context; `nil` for a catalog context.
    var contextOwner: UUID?

    /// - Parameter index: its index in the body, from 0, for pointers.
    init(_ task: Fields, at index: Int) throws {
        kind = task.text("kind") ?? ""
        guard TaskShapes.kinds.contains(kind) else {
            throw Problem.invalid(
                "/tasks/\(index)/kind", "kind_not_taken_yet",
                "Hand-ins, exit tickets and files cannot be given yet.")
        }
        stays = task["id"] != nil
        id = TaskID(task.uuid("id") ?? UUID.v7())
        bundleID = task.text("bundleId")
        identifierPath = task.texts("identifierPath")
        minutes = task.integer("minutes")
        url = task.text("url")
        title = kind == "link" ? task.text("title") : nil
        if let url, !Self.isLink(url) {
            throw Problem.invalid(
                "/tasks/\(index)/url", "not_a_link", "A link begins with https:// or http://.")
        }
    }

    /// A task that keeps its id.
    init(_ sent: NewTask, staying id: TaskID, title: String) {
        self.id = id
        stays = true
        kind = sent.kind
        bundleID = sent.bundleID
        identifierPath = sent.identifierPath
        minutes = sent.minutes
        url = sent.url
        self.title = sent.title ?? title
    }

    /// Only web addresses open in a browser without asking an app.
    private static func isLink(_ url: String) -> Bool {
        guard let scheme = ["https://", "http://"].first(where: url.lowercased().hasPrefix) else {
            return false
        }
        return url.count > scheme.count && !url.contains(" ")
    }

    /// What the database reads; keys are column names.
    var document: JSONValue {
        [
            "task_id": .text(id.uuid.description), "stays": .bool(stays), "kind": .text(kind),
            "bundle_id": bundleID.map(JSONValue.text) ?? nil,
            "identifier_path": identifierPath.map { .array($0.map(JSONValue.text)) } ?? nil,
            "minutes": minutes.map { .number(JSONNumber(Int64($0))) } ?? nil,
            "url": url.map(JSONValue.text) ?? nil, "title": title.map(JSONValue.text) ?? nil,
            "titles": titles ?? nil,
            "context_owner_id": contextOwner.map { .text($0.description) } ?? nil,
        ]
    }
}

extension [NewTask] {
    init(_ body: Fields) throws {
        self = try (body.objects("tasks") ?? []).enumerated().map { try NewTask($1, at: $0) }
    }

    var document: JSONDocument { JSONDocument(JSONValue.array(map(\.document)).bytes) }
}
