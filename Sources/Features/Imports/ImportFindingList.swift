import API
import Contract
import HTTPWire
import Postgres
import School

extension Imports {
    var findingEndpoints: [Endpoint] {
        [
            Endpoint(
                ImportCalls.findings.method, ImportCalls.findings.path,
                "List what was found in an archive",
                for: Standing.directoryManagers,
                query: [
                    .optional(
                        ImportFindingQuery.level, Word<ImportLevel>.shape,
                        "Only what came of it: error, warning or note.")
                ] + Endpoint.Parameter.page,
                answers: [
                    .orCSV(
                        of: ImportCalls.findings,
                        "First how often each kind was found in a file and column, then errors and warnings one by one: "
                            + "the first thousand of each. CSV has all of them, whatever the limit."
                    )
                ], reads: .replica, handler: listFindings)
        ]
    }

    private func listFindings(_ request: Request, caller: Caller) async throws -> Response {
        let importID: ImportID = try request.id("id")
        let level = request.query(ImportFindingQuery.level)
        func rows(asText: Bool) -> ImportList.Rows {
            {
                .findings(
                    of: importID, level: level, after: $0, limit: $1, asText: asText, caller)
            }
        }
        let columns = ImportFound.declaration.object.fields.map(\.name)
        let list = ImportList(
            columns: columns.count, rows: rows(asText: false),
            table: (name: "import-findings.csv", columns: columns, rows: rows(asText: true)))
        return try await answer(list, request, caller)
    }
}

extension Statement {
    /// Kinds come before single findings, as positions below a hundred thousand.
    ///
    /// - Parameter asText: whether the lines are a text, and not an array.
    fileprivate static func findings(
        of importID: ImportID, level: String?, after last: Int?, limit: Int, asText: Bool,
        _ caller: Caller
    ) -> Statement {
        let lines: Statement =
            asText ? "nullif(array_to_string(f.lines, ' '), '')" : "to_json(f.lines)"
        return """
            select f.level, f.code, f.file, f.column_name as "column", \(fragment: lines) as "lines", f.count as "count",
                   f.detail as "text", f.position
              from (select e.n::integer as position, e.tally ->> 'level' as level, e.tally ->> 'code' as code,
                           e.tally ->> 'file' as file, e.tally ->> 'column' as column_name,
                           array(select l::integer
                                   from jsonb_array_elements_text(e.tally -> 'lines') with ordinality as o (l, k)
                                  order by k) as lines,
                           (e.tally ->> 'count')::bigint as count, null as detail
                      from school.import as i
                     cross join jsonb_array_elements(i.tallies) with ordinality as e (tally, n)
                     where i.organization_id = \(caller.organizationID) and i.import_id = \(importID)
                    union all
                    select 100000 + p.position, case when p.is_warning then 'warning' else 'error' end, p.code, p.file,
                           p.column_name, array_remove(array[p.line], null), null, p.detail
                      from school.import_problem as p
                     where p.organization_id = \(caller.organizationID) and p.import_id = \(importID)) as f
             where (\(level)::text is null or f.level = \(level))
               and (\(last)::bigint is null or f.position > \(last)::bigint)
             order by f.position
             limit \(limit)
            """
    }
}
