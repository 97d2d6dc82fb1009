import API
import HTTPServer
import HTTPWire
import JSONBytes
import Postgres
import School
import Values

/// Line items that tools make (Assignment and Grade Services 2.0 sections 3.1 and 3.2): figures beside the score of one
/// of their tasks. The task's own line item is the teacher's.
extension Tools {
    private static let changing = [ToolScope.lineItems.rawValue]
    private static let sentItem = Endpoint.Body.document(
        [ToolMediaType.lineItem, "application/json"], .map(.anything))
    private static let ofTask: (status: Int, meaning: String) = (
        403, "It is the task itself, which only its teachers change."
    )

    var lineItemChangeEndpoints: [Endpoint] {
        [makingEndpoint, changingEndpoint, deletingEndpoint]
    }

    private var makingEndpoint: Endpoint {
        Endpoint(
            .post, "\(Self.classPath)/line-items",
            "Add a line item to one of your tasks, as a tool", for: [.tool], body: Self.sentItem,
            answers: [
                .document(
                    "Made. Its scores become additional items of the task.",
                    ToolMediaType.lineItem, ToolShapes.lineItem, status: 201
                ).located,
                .document(
                    "The task has one with the same members already: a repeated call makes no second one.",
                    ToolMediaType.lineItem, ToolShapes.lineItem
                ).located,
            ],
            problems: [
                (409, "A task has at most 100 line items of yours, 1,000 with deleted ones."),
                (422, "It cannot be used, or names no task of yours; `errors` says where."),
            ],
            keys: .ignored, scopes: Self.changing, needsScope: true, handler: makeLineItem)
    }

    private var changingEndpoint: Endpoint {
        Endpoint(
            .put, "\(Self.classPath)/line-items/{lineItemId}",
            "Change a line item that you made, as a tool", for: [.tool], body: Self.sentItem,
            answers: [
                .document(
                    "Changed. Scores that you reported before keep their name and maximum.",
                    ToolMediaType.lineItem, ToolShapes.lineItem)
            ], problems: [Self.ofTask, (422, "It cannot be used; `errors` says where.")],
            scopes: Self.changing, needsScope: true, handler: changeLineItem)
    }

    private var deletingEndpoint: Endpoint {
        Endpoint(
            .delete, "\(Self.classPath)/line-items/{lineItemId}",
            "Delete a line item that you made, as a tool", for: [.tool],
            answers: [
                .empty(204, "Deleted. It takes no more scores; students keep those that they have.")
            ], problems: [Self.ofTask], scopes: Self.changing, needsScope: true,
            handler: deleteLineItem)
    }

    /// Standards for tools know no keys against repetition. So a line item that would differ in nothing from one that
    /// the task has is that one: a tool that did not get the answer may ask again.
    private func makeLineItem(_ request: Request, _ caller: Caller) async throws -> Response {
        let paths = try servicePaths(request)
        _ = try await usedClass(paths.classID, caller)
        let item = try NewLineItem(try await request.json(maximumBytes: 64 << 10))
        let task = try item.task()
        let rows = try await database.query(.make(item, of: task, in: paths.classID), as: caller)
        guard let row = rows.first else { throw Problem.notFound }
        let outcome = try row.text("outcome")
        switch outcome {
        case "made", "same": break
        case "task": throw NewLineItem.unknownTask
        default: throw Problem.tooManyLineItems
        }
        let id = try row.uuid("line_item_id")
        return Response.document(
            try await readLineItem(id, paths, caller), ToolMediaType.lineItem,
            status: outcome == "made" ? 201 : 200
        ).located(at: "/lti/classes/\(paths.classID)/line-items/\(id)")
    }

    private func changeLineItem(_ request: Request, _ caller: Caller) async throws -> Response {
        let paths = try servicePaths(request)
        let id = try lineItemID(request)
        let item = try NewLineItem(try await request.json(maximumBytes: 64 << 10))
        let task = try item.resourceLinkID.map { _ in try item.task() }
        let rows = try await database.query(
            .change(id, to: item, of: task, in: paths.classID), as: caller)
        switch try rows.first?.text("outcome") {
        case "changed": break
        case "own": throw Problem.lineItemOfTask
        case "task":
            throw Problem.invalid(
                "/resourceLinkId", "other_task", "A line item stays with the task of which it is.")
        default: throw Problem.notFound
        }
        return .document(try await readLineItem(id, paths, caller), ToolMediaType.lineItem)
    }

    /// Scores that a tool reported stay: they are the work of students, who may have seen them. It is as with content
    /// that a developer takes back: nothing new comes, and nothing that was assigned is lost.
    private func deleteLineItem(_ request: Request, _ caller: Caller) async throws -> Response {
        let paths = try servicePaths(request)
        let rows = try await database.query(
            .delete(try lineItemID(request), in: paths.classID), as: caller)
        switch try rows.first?.text("outcome") {
        case "deleted": return .noContent
        case "own": throw Problem.lineItemOfTask
        default: throw Problem.notFound
        }
    }
}

extension Statement {
    fileprivate static func make(
        _ item: NewLineItem, of task: UUID, in classID: UUID
    ) -> Statement {
        """
        select outcome, line_item_id
          from school.make_tool_line_item(
                   \(classID), \(task), \(item.label), \(item.scoreMaximum), \(item.resourceID), \(item.tag))
        """
    }

    fileprivate static func change(
        _ id: UUID, to item: NewLineItem, of task: UUID?, in classID: UUID
    ) -> Statement {
        """
        select school.change_tool_line_item(
                   \(classID), \(id), \(task), \(item.label), \(item.scoreMaximum), \(item.resourceID),
                   \(item.tag)) as outcome
        """
    }

    fileprivate static func delete(_ id: UUID, in classID: UUID) -> Statement {
        "select school.delete_tool_line_item(\(classID), \(id)) as outcome"
    }
}
