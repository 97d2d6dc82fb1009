import API
import HTTPWire
import Postgres
import School

extension Imports {
    var findingEndpoints: [Endpoint] {
        [
            Endpoint(
                .get, "/v1/imports/{id}/findings", "List what was found in an archive",
                for: Standing.directoryManagers,
                query: [
                    .optional(
                        "level", .word(ImportTally.Level.allCases.map(\.rawValue)),
                        "Only what came of it: error, warning or note.")
                ] + Endpoint.Parameter.page,
                answers: [
                    .pageOrCSV(
                        "First how often each kind was found in a file and column, then errors and warnings one by one: "
                            + "the first thousand of each. CSV has all of them, whatever the limit.",
                        of: .importFound)
                ], reads: .replica, handler: listFindings)
        ]
    }

    private func listFindings(_ request: Request, caller: Caller) async throws -> Response {
        let importID: ImportID = try request.id("id")
        let page = try request.page()
        let level = request.query("level")
        guard
            try await database.query(.importDetails(importID, of: caller), as: caller).count > 0
        else { throw Problem.notFound }
        if request.prefersCSV {
            return try await ImportTable(
                name: "import-findings.csv", columns: ImportFound.columns
            ) { [database] position, limit in
                try await database.query(
                    .findings(
                        of: importID, level: level, after: position, limit: limit, asText: true,
                        caller), as: caller)
            }.response()
        }
        let position = page.after(0).flatMap { Int($0) }
        guard page.isFirst || position != nil else { throw Problem.foreignPageToken }
        let statement = Statement.findings(
            of: importID, level: level, after: position, limit: page.limitPlusOne, asText: false,
            caller)
        let rows = try await database.query(page.of(statement), as: caller)
        return try page.response(
            rows, columns: ImportFound.columns.count,
            key: { [String(try $0.int("position"))] }, request: request
        ).varying(by: "Accept")
    }
}

/// What the list of findings has of each.
private enum ImportFound {
    static let columns = ["level", "code", "file", "column", "lines", "count", "text"]
}

extension Statement {
    /// Kinds come before single findings, as positions below a hundred thousand.
    ///
    /// - Parameter asText: whether the lines are a text, and not an array.
    fileprivate static func findings(
        of importID: ImportID, level: String?, after position: Int?, limit: Int, asText: Bool,
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
               and (\(position)::integer is null or f.position > \(position)::integer)
             order by f.position
             limit \(limit)
            """
    }
}

extension ObjectShape {
    static let importFound = ObjectShape(
        "ImportFound",
        [
            .required(
                "level", .word(ImportTally.Level.allCases.map(\.rawValue)),
                "note: put right. warning: left out, or odd. error: the archive is refused for it."),
            .required(
                "code",
                .word(
                    ImportNote.allCases.map(\.code) + ImportFinding.Code.allCases.map(\.rawValue))),
            .orNull("file", .text(1...300), "Absent where the archive as a whole is meant."),
            .orNull("column", .text(1...300), "The column's name in the header."),
            .required(
                "lines", .array(.integer(1...Int.max), count: 0...ImportTally.linesMax),
                "Of a kind the first of its lines; of a single finding its line, if it has one."),
            .orNull(
                "count", .integer(0...Int.max),
                "Of a kind: how often it was found. Absent for a single finding."),
            .orNull("text", .text(1...2000), "Of a single finding; absent for a kind."),
        ])
}
