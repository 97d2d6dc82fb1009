import API
import Postgres
import School
import Values

/// Which of a student's assignments a list contains, and in which order.
struct AssignmentFilter: Sendable {
    static let orderMeaning =
        "Those of the newest handouts first, or those due first and those without a due time last; "
        + "`newest` when absent."

    let state: String?
    let classReference: Reference<ClassEntity>?
    let isByDueTime: Bool

    init(_ request: Request) {
        state = request.query("state")
        classReference = request.queryReference("classId")
        isByDueTime = request.query("order") == "due"
    }
}

/// Where a page of assignments ended.
struct AssignmentPosition: Sendable {
    /// When the handout was published or, in a list by due time, is due; `nil` if it has no due time.
    let moment: Timestamp?
    let handout: UUID
    let position: Int

    /// `nil` on the first page.
    init?(_ page: Page, _ filter: AssignmentFilter) throws {
        guard !page.isFirst else { return nil }
        guard page.after.count == 3, let handout = UUID(page.after[1]),
            let position = Int(page.after[2]), (1...20).contains(position)
        else { throw Problem.foreignPageToken }
        moment = Timestamp(page.after[0])
        guard moment != nil || filter.isByDueTime && page.after[0].isEmpty else {
            throw Problem.foreignPageToken
        }
        self.handout = handout
        self.position = position
    }

    static func key(_ row: Row, _ filter: AssignmentFilter) throws -> [String] {
        let moment = try row.optionalTimestamp(filter.isByDueTime ? "due_at" : "_publishAt")
        return [
            moment?.description ?? "", try row.uuid("_handout").description,
            "\(try row.int("_position"))",
        ]
    }

    /// The last three columns are the sort key, which is not sent to clients.
    static func shownColumns(_ rows: Rows) -> Int { rows.columns.count - 3 }
}
