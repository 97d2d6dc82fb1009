import Postgres
import School
import Values

/// The tasks of a handout as a change wants them: which stay, which are new, which go.
///
/// A task stays under its id, and with it what was recorded for it, where the body names the id, or where it
/// names the same context, app or link without one. What a task is about stays with it: figures of one
/// context never count for another.
struct TaskArrangement: Sendable {
    /// In their order.
    let tasks: [NewTask]
    let removed: [TaskID]

    /// - Parameter rows: of `Statement.tasks`.
    init(_ sent: [NewTask], replacing rows: Rows) throws {
        var present = try rows.map { try Present($0) }
        var kept: [Int: Present] = [:]
        for (place, task) in sent.enumerated() where task.stays {
            guard let index = present.firstIndex(where: { $0.id == task.id }) else {
                throw Problem.unknownReference("/tasks/\(place)/id")
            }
            let found = present.remove(at: index)
            if let field = found.difference(from: task) {
                throw Problem.fixed(
                    "/tasks/\(place)/\(field)",
                    "This cannot change. Add a new task and remove this one.")
            }
            kept[place] = found
        }
        for (place, task) in sent.enumerated() where !task.stays {
            guard let index = present.firstIndex(where: { $0.isSame(as: task) }) else { continue }
            kept[place] = present.remove(at: index)
        }
        tasks = sent.enumerated().map { place, task in
            kept[place].map { NewTask(task, staying: $0.id, title: $0.title) } ?? task
        }
        removed = present.map(\.id)
    }

    /// A task that is there.
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

        /// The first field of what the task is about that is another; a link may lead elsewhere.
        func difference(from task: NewTask) -> String? {
            if kind != task.kind { return "kind" }
            if bundleID != task.bundleID { return "bundleId" }
            return identifierPath == task.identifierPath ? nil : "identifierPath"
        }

        func isSame(as task: NewTask) -> Bool { difference(from: task) == nil && url == task.url }
    }
}
