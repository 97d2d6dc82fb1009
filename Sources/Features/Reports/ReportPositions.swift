import API
import Postgres
import Values

/// Where a page of a student's attempts at a handout ends.
struct AttemptPosition {
    /// The task's position.
    let position: Int
    /// `nil` for a task without attempts.
    let startedAt: Timestamp?
    let activity: UUID?

    /// `nil` on the first page.
    init?(_ page: Page) throws {
        guard !page.isFirst else { return nil }
        guard page.after.count == 3, let position = Int(page.after[0]), (1...20).contains(position),
            page.after[1].isEmpty == page.after[2].isEmpty
        else { throw Problem.foreignPageToken }
        self.position = position
        startedAt = Timestamp(page.after[1])
        activity = UUID(page.after[2])
        guard page.after[1].isEmpty || startedAt != nil && activity != nil else {
            throw Problem.foreignPageToken
        }
    }

    static func key(_ row: Row) throws -> [String] {
        [
            "\(try row.int("task_position"))",
            try row.optionalTimestamp("started_at")?.description ?? "",
            try row.optionalUUID("activity_id")?.description ?? "",
        ]
    }
}

/// Where a page of the items of a task ends.
struct ItemPosition {
    let position: Int
    let identifier: String

    /// `nil` on the first page.
    init?(_ page: Page) throws {
        guard !page.isFirst else { return nil }
        guard page.after.count == 2, let position = Int(page.after[0]),
            (1...1_000_000).contains(position)
        else { throw Problem.foreignPageToken }
        self.position = position
        identifier = page.after[1]
    }

    static func key(_ row: Row) throws -> [String] {
        ["\(try row.int("item_position"))", try row.text("identifier")]
    }
}

extension Page {
    /// The page after the one with these rows; `nil` if there is none.
    func next(
        after rows: Rows, key: (Row) throws -> [String], of request: Request
    ) throws -> Next? {
        guard let last = rows.last, try last.bool("has_more") else { return nil }
        return next(after: try key(last), of: request)
    }
}
