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
    /// Of a tool; its tasks go by the tool's name in place of a bundle id.
    let toolID: UUID?
    /// What the tool is told of the task.
    let custom: JSONValue?
    let scoreMaximum: JSONValue?
    /// What the tool calls its resource, and a word of its own: by these it finds the task.
    let resourceID: String?
    let tag: String?
    /// The most points that one can get for it; `nil` if it is not marked.
    let maximumPoints: Points?
    /// The title of a link or of a tool's task; for other tasks, the stored title from the app.
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
        toolID = task.uuid("toolId")
        if task.text("bundleId")?.isNameOfTool == true {
            throw Problem.nameOfTool("/tasks/\(index)/bundleId")
        }
        bundleID = toolID.map { "tool:\($0)" } ?? task.text("bundleId")
        identifierPath = task.texts("identifierPath")
        minutes = task.integer("minutes")
        url = task.text("url")
        custom = task["custom"]
        scoreMaximum = task["scoreMaximum"]
        resourceID = task.text("resourceId")
        tag = task.text("tag")
        maximumPoints = try Marking.maximum(task, at: "/tasks/\(index)")
        title = ["link", "tool"].contains(kind) ? task.text("title") : nil
        if let url, !Self.isLink(url) {
            throw Problem.invalid(
                "/tasks/\(index)/url", "not_a_link", "A link begins with https:// or http://.")
        }
        if let members = custom?.object, !Self.isShort(members) {
            throw Problem.invalid(
                "/tasks/\(index)/custom", "too_long",
                "A tool is told up to 50 texts, 4,000 bytes in all.")
        }
    }

    private static func isShort(_ custom: JSONObject) -> Bool {
        let bytes = custom.members.reduce(0) { sum, member in
            sum + member.key.utf8.count + (member.value.text?.utf8.count ?? 0)
        }
        return custom.count <= 50 && bytes <= 4000
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
        toolID = sent.toolID
        custom = sent.custom
        scoreMaximum = sent.scoreMaximum
        resourceID = sent.resourceID
        tag = sent.tag
        maximumPoints = sent.maximumPoints
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
        let tool = toolID.map { JSONValue.text($0.description) } ?? .null
        let words = [resourceID, tag].map { $0.map(JSONValue.text) ?? .null }
        return [
            "task_id": .text(id.uuid.description), "stays": .bool(stays), "kind": .text(kind),
            "bundle_id": bundleID.map(JSONValue.text) ?? nil,
            "identifier_path": identifierPath.map { .array($0.map(JSONValue.text)) } ?? nil,
            "minutes": minutes.map { .number(JSONNumber(Int64($0))) } ?? nil,
            "url": url.map(JSONValue.text) ?? nil, "title": title.map(JSONValue.text) ?? nil,
            "titles": titles ?? nil,
            "tool_id": tool, "custom": custom ?? .null, "score_maximum": scoreMaximum ?? .null,
            "tool_resource_id": words[0], "tool_tag": words[1],
            "maximum_points": maximumPoints.map { .text($0.text) } ?? nil,
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
