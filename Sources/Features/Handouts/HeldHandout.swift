import API
import Postgres
import School
import Values

/// A handout that is locked for a change.
struct HeldHandout: Sendable {
    let id: HandoutID
    let version: Int
    let classID: UUID
    /// `nil` if the author was erased.
    let authorID: UUID?
    let environment: String
    let title: String
    let instructions: String?
    let publishAt: Timestamp?
    let dueAt: Timestamp?
    let maximumPoints: Points?
    let isPublished: Bool
    let isCompleted: Bool
    let isClassArchived: Bool
    let taskCount: Int

    init(_ id: HandoutID, _ row: Row) throws {
        self.id = id
        version = try row.int("version")
        classID = try row.uuid("class_id")
        authorID = try row.optionalUUID("author_id")
        environment = try row.text("environment")
        title = try row.text("title")
        instructions = try row.optionalText("instructions")
        publishAt = try row.optionalTimestamp("publish_at")
        dueAt = try row.optionalTimestamp("due_at")
        maximumPoints = try row.optionalText("maximum_points").flatMap { Points(stored: $0) }
        isPublished = try row.bool("is_published")
        isCompleted = try row.bool("is_completed")
        isClassArchived = try row.bool("is_class_archived")
        taskCount = try row.int("task_count")
    }
}

extension Handouts {
    /// Locks a handout for a change until the transaction ends: 404 if the caller does not see it, 412 if the
    /// preconditions fail, 409 in an archived class, which is read-only.
    func hold(_ request: Request, _ session: Session, _ caller: Caller) async throws -> HeldHandout
    {
        let id: HandoutID = try request.id("id")
        let rows = try await session.query(.lockHandout(id, of: caller.organizationID))
        guard let row = rows.first else { throw Problem.notFound }
        let held = try HeldHandout(id, row)
        try request.checkMatch(version: held.version)
        if held.isClassArchived { throw Problem.classArchived }
        return held
    }
}
