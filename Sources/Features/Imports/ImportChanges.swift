import API
import HTTPWire
import Postgres
import School
import Values

/// What happens to a row.
enum ImportChange: String, CaseIterable {
    case removed, changed, created
}

extension Imports {
    /// The rows of a plan; none if the archive has errors or the plan was old and has been removed.
    func listChanges(_ request: Request, caller: Caller) async throws -> Response {
        let importID: ImportID = try request.id("id")
        let page = try request.page()
        let (file, change) = (request.query("file"), request.query("change"))
        let rows = try await database.read(as: caller) { session in
            let found = try await session.query(.importDetails(importID, of: caller))
            guard !found.isEmpty else { throw Problem.notFound }
            return try await session.query(
                page.of(.changes(of: importID, file: file, change: change, page, caller)))
        }
        return try page.response(
            rows, columns: 7, key: { [String(try $0.int("position"))] }, request: request)
    }
}

extension Statement {
    fileprivate static func changes(
        of importID: ImportID, file: String?, change: String?, _ page: Page, _ caller: Caller
    ) -> Statement {
        """
        select c.file, c.change, c.line, c.source_id,
               c.class_source_id, c.person_source_id,
               c.fields, c.position
          from school.import_change as c
         where c.organization_id = \(caller.organizationID) and c.import_id = \(importID)
           and (\(file)::text is null or c.file = \(file))
           and (\(change)::text is null or c.change = \(change))
           and (\(page.isFirst) or c.position > \(page.after(0))::integer)
         order by c.position
         limit \(page.limitPlusOne)
        """
    }
}

extension ObjectShape {
    static let importChange = ObjectShape(
        "ImportChange",
        [
            .required("file", .word(importFileNames)),
            .required("change", .word(ImportChange.allCases.map(\.rawValue))),
            .orNull(
                "line", .integer(1...Int.max), "Absent where the archive does not name the row."),
            .orNull("sourceId", .text(1...255)),
            .orNull("classSourceId", .text(1...255), "Of a seat: of its class."),
            .orNull("personSourceId", .text(1...255), "Of a seat: of its person."),
            .required(
                "fields", .array(.text(1...50), count: 0...20),
                "What differs, where it is changed."),
        ])
}
