import API
import Postgres
import School
import Values

/// The tasks of a handout after a change: which stay, which are new, and which are removed.
///
/// A task keeps its id, and what was recorded for it, if the body names the id, or names the same context, app or
/// link without an id. The subject of a task cannot change: figures of one context never count for another.
struct TaskArrangement: Sendable {
    /// In order.
    let tasks: [NewTask]
    let removed: [TaskID]

    /// - Parameter rows: the rows of `Statement.tasks`.
    init(_ sent: [NewTask], replacing rows: Rows) throws {
        var present = try rows.map { try Present($0) }
        var kept: [Int: Present] = [:]
        for (position, task) in sent.enumerated() where task.stays {
            guard let index = present.firstIndex(where: { $0.id == task.id }) else {
                throw Problem.unknownReference("/tasks/\(position)/id")
            }
            let found = present.remove(at: index)
            if let field = found.difference(from: task) {
                throw Problem.fixed(
                    "/tasks/\(position)/\(field)",
                    "This cannot change. Add a new task and remove this one.")
            }
            kept[position] = found
        }
        for (position, task) in sent.enumerated() where !task.stays {
            guard let index = present.firstIndex(where: { $0.isSame(as: task) }) else { continue }
            kept[position] = present.remove(at: index)
        }
        tasks = sent.enumerated().map { position, task in
            kept[position].map { NewTask(task, staying: $0.id, title: $0.title) } ?? task
        }
        removed = present.map(\.id)
    }

    /// An existing task.
    private struct Present {
        let id: TaskID
        let kind: String
        let title: String
        let bundleID: String?
        let identifierPath: [String]?
        let url: String?

        init(_ row: Row) throws {
            id = TaskID(try row.uuid("task_id"))
            kind = try row.text("kind")
            title = try row.text("title")
            bundleID = try row.optionalText("bundle_id")
            identifierPath =
                try row.isNull("identifier_path") ? nil : try row.textArray("identifier_path")
            url = try row.optionalText("url")
        }

        /// The first field in which the subject of the task differs; a link may change its address.
        func difference(from task: NewTask) -> String? {
            if kind != task.kind { return "kind" }
            if bundleID != task.bundleID { return "bundleId" }
            return identifierPath == task.identifierPath ? nil : "identifierPath"
        }

        func isSame(as task: NewTask) -> Bool { difference(from: task) == nil && url == task.url }
    }
}
