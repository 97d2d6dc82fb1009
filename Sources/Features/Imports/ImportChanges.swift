import API
import Contract
import HTTPWire
import Postgres
import School

extension Imports {
    var changeEndpoints: [Endpoint] {
        [
            Endpoint(
                ImportCalls.changes.method, ImportCalls.changes.path,
                "List the rows an import changes, or would change",
                for: Standing.directoryManagers,
                query: [
                    .optional("file", Word<ImportFileName>.shape, "Only of this file."),
                    .optional(ImportPlanQuery.change, Word<RowChange>.shape, "Only these."),
                ] + Endpoint.Parameter.page,
                answers: [
                    .orCSV(
                        of: ImportCalls.changes,
                        "File by file what is removed, changed and created: the first 10,000 rows of each. CSV has all of "
                            + "them, whatever the limit.")
                ], reads: .replica, handler: listChanges)
        ]
    }

    private func listChanges(_ request: Request, caller: Caller) async throws -> Response {
        let importID: ImportID = try request.id("id")
        let (file, change) = (request.query("file"), request.query(ImportPlanQuery.change))
        func rows(_ differences: Statement) -> ImportList.Rows {
            {
                .changes(
                    of: importID, file: file, change: change, after: $0, limit: $1,
                    with: differences, caller)
            }
        }
        let list = ImportList(
            columns: ImportChange.declaration.object.fields.count,
            rows: rows(ChangeColumns.structured),
            table: (
                name: "import-changes.csv",
                columns: ChangeColumns.names + ["fields", "was", "becomes"],
                rows: rows(ChangeColumns.textual)
            ))
        return try await answer(list, request, caller)
    }
}

/// The columns of a list of changes.
private enum ChangeColumns {
    static let names = [
        "file", "change", "line", "sourceId", "classSourceId", "personSourceId", "kind",
        "givenName", "familyName", "grade", "location", "name",
    ]

    /// What differs, in JSON.
    static let structured: Statement = "c.fields, c.differences as \"values\""

    /// What differs, for a table.
    static let textual: Statement = """
        nullif(array_to_string(c.fields, ' '), '') as fields,
        (select string_agg(coalesce(v ->> 'was', ''), ' | ' order by n)
           from jsonb_array_elements(c.differences) with ordinality as d (v, n)) as was,
        (select string_agg(coalesce(v ->> 'becomes', ''), ' | ' order by n)
           from jsonb_array_elements(c.differences) with ordinality as d (v, n)) as becomes
        """
}

extension Statement {
    fileprivate static func changes(
        of importID: ImportID, file: String?, change: String?, after last: Int?,
        limit: Int, with differences: Statement, _ caller: Caller
    ) -> Statement {
        """
        select c.file, c.change, c.line, c.source_id, c.class_source_id, c.person_source_id, c.kind,
               c.about ->> 'givenName' as given_name, c.about ->> 'familyName' as family_name,
               c.about ->> 'grade' as grade, c.about ->> 'location' as location,
               coalesce(c.about ->> 'class', c.about ->> 'name') as name, \(fragment: differences), c.position
          from school.import_change as c
         where c.organization_id = \(caller.organizationID) and c.import_id = \(importID)
           and (\(file)::text is null or c.file = \(file))
           and (\(change)::text is null or c.change = \(change))
           and (\(last)::bigint is null or c.position > \(last)::bigint)
         order by c.position
         limit \(limit)
        """
    }
}
