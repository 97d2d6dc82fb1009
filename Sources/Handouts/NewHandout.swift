import Crypto
import JSONBytes
import Postgres
import School
import Values

/// A handout as a teacher sends it.
struct NewHandout: Sendable {
    let id = HandoutID(UUID.v7())
    let classReference: Reference<ClassEntity>
    let title: String
    let instructions: String?
    /// `nil` for the class.
    let recipients: [Reference<PersonEntity>]?
    let publishAt: Timestamp?
    let dueAt: Timestamp?
    /// Due at the end of this day, where it is no moment.
    let dueOn: Day?
    let environment: Environment
    let tasks: [NewTask]

    init(_ body: Fields, caller: Caller) throws {
        guard let classReference: Reference<ClassEntity> = body.reference("classId") else {
            throw Problem.unknownReference("/classId")
        }
        self.classReference = classReference
        title = body.text("title") ?? ""
        instructions = body.text("instructions")
        recipients = body.texts("recipients")?.compactMap { Reference($0) }
        publishAt = body.timestamp("publishAt")
        dueAt = body.timestamp("dueAt")
        dueOn = body.day("dueAt")
        environment =
            body.text("environment").flatMap(Environment.init(rawValue:)) ?? caller.environment
        tasks = try (body.objects("tasks") ?? []).enumerated().map { try NewTask($1, at: $0) }
    }
}

/// A task as a teacher sends it.
struct NewTask: Sendable {
    let id = TaskID(UUID.v7())
    let kind: String
    let bundleID: String?
    let identifierPath: [String]?
    let url: String?
    /// Of a link; a context's own title is kept for an app activity.
    var title: String?

    init(_ task: Fields, at index: Int) throws {
        kind = task.text("kind") ?? ""
        bundleID = task.text("bundleId")
        identifierPath = task.texts("identifierPath")
        url = task.text("url")
        title = task.text("title")
        if let url, !(url.hasPrefix("https://") || url.hasPrefix("http://")) {
            throw Problem.invalid(
                "/tasks/\(index)/url", "not_a_link", "A link begins with https:// or http://.")
        }
    }

    /// What the database reads; keys are columns.
    var document: JSONValue {
        [
            "task_id": .text(id.uuid.description), "kind": .text(kind),
            "bundle_id": bundleID.map(JSONValue.text) ?? nil,
            "identifier_path": identifierPath.map { .array($0.map(JSONValue.text)) } ?? nil,
            "url": url.map(JSONValue.text) ?? nil, "title": title.map(JSONValue.text) ?? nil,
        ]
    }
}

extension [NewTask] {
    var document: JSONDocument { JSONDocument(JSONValue.array(map(\.document)).bytes) }
}
