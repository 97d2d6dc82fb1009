import Contract
import HTTPWire
import JSONBytes
import Values

/// A handout as its teachers edit it.
struct EditedHandout: Sendable {
    let summary: Handout
    let classID: String
    /// `nil` where the author was erased.
    let authorID: String?
    let instructions: String
    /// The most points for it as a whole; `nil` if it is not marked as one.
    let maximumPoints: Double?
    /// The students it is for; `nil` for the whole class.
    let chosen: [String]?
    let tasks: [HandoutTask]
    /// The entity tag of this version.
    let tag: String

    var id: String { summary.id }

    /// Whether fields and tasks can still change.
    var isOpen: Bool { summary.state != .completed && summary.state != .archived }

    static func load(_ id: String, _ api: Client) async throws -> EditedHandout {
        let (document, tag) = try await api.getTagged("/v1/handouts/\(id)")
        return try EditedHandout(document, tag: tag)
    }

    private init(_ document: JSONValue, tag: String) throws {
        // Only what the API promises: anything else is its failure, not the reader's.
        guard let summary = Handout(document), let classID = document["classId"]?.text else {
            throw UnexpectedAnswer()
        }
        self.summary = summary
        self.classID = classID
        authorID = document["authorId"]?.text
        instructions = document["instructions"]?.text ?? ""
        maximumPoints = Document<MarkedHandout>(document)?.marking?.maximum
        chosen = document["recipients"]?.array?.compactMap(\.text)
        tasks = (document["tasks"]?.array ?? []).compactMap(HandoutTask.init)
        self.tag = tag
    }
}

/// The API answered something that its document does not describe.
struct UnexpectedAnswer: Error {}

/// One thing to do in a handout.
struct HandoutTask: Sendable {
    enum Kind: String, Sendable {
        case appActivity, wholeApp, timedApp, link, tool
    }

    let id: String
    let kind: Kind
    let title: String
    let bundleID: String?
    /// Below the app.
    let path: [String]
    let minutes: Int?
    let url: String?
    /// What the tool is called, of a task in a tool.
    let toolName: String?
    private let document: JSONObject

    init?(_ task: JSONValue) {
        guard let id = task["id"]?.text, let kind = task["kind"]?.text.flatMap(Kind.init),
            let title = task["title"]?.text, let object = task.object
        else { return nil }
        self.id = id
        self.kind = kind
        self.title = title
        bundleID = task["bundleId"]?.text
        path = (task["identifierPath"]?.array ?? []).compactMap(\.text)
        minutes = task["minutes"]?.int64.map { Int($0) }
        url = task["url"]?.text
        toolName = task["toolName"]?.text
        document = object
    }

    /// The task as a change names it, so that it stays as it is, with all that is recorded for it.
    var kept: JSONValue {
        let isNamedHere = kind == .link || kind == .tool
        let names: Set<String> = [
            "kind", "id", "bundleId", "identifierPath", "minutes", "toolId", "marking",
        ]
        let kept = document.members.filter {
            names.contains($0.key) || isNamedHere && ["title", "url"].contains($0.key)
        }
        return .object(JSONObject(kept.map { ($0.key, $0.value) }))
    }
}

extension EditedHandout {
    /// Adds a task at the end.
    func adding(_ task: JSONValue, _ api: Client) async throws { try await adding([task], api) }

    /// Adds tasks at the end.
    ///
    /// Someone else's change at the same moment does not matter here: the tasks are added to what is there then.
    func adding(_ tasks: [JSONValue], _ api: Client) async throws {
        var handout = self
        for attempt in 1... {
            do {
                try await api.send(
                    .patch, "/v1/handouts/\(id)",
                    ["tasks": .array(handout.tasks.map(\.kept) + tasks)],
                    headers: [(name: "If-Match", value: handout.tag)])
                return
            } catch let refusal as Refusal where refusal.status == 412 && attempt < 3 {
                handout = try await EditedHandout.load(id, api)
            }
        }
    }
}
