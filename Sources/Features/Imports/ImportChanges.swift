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
    var changeEndpoints: [Endpoint] {
        [
            Endpoint(
                .get, "/v1/imports/{id}/changes",
                "List the rows an import changes, or would change",
                for: Standing.directoryManagers,
                query: [
                    .optional("file", .word(ObjectShape.importFileNames), "Only of this file."),
                    .optional(
                        "change", .word(ImportChange.allCases.map(\.rawValue)), "Only these."),
                ] + Endpoint.Parameter.page,
                answers: [
                    .pageOrCSV(
                        "File by file what is removed, changed and created: the first 10,000 rows of each. CSV has all of "
                            + "them, whatever the limit.", of: .importChange)
                ], reads: .replica, handler: listChanges)
        ]
    }

    /// The rows of a plan; none if the archive has errors or the plan was old and has been removed.
    private func listChanges(_ request: Request, caller: Caller) async throws -> Response {
        let importID: ImportID = try request.id("id")
        let page = try request.page()
        let (file, change) = (request.query("file"), request.query("change"))
        if request.prefersCSV {
            let found = try await database.query(
                .importDetails(importID, of: caller), as: caller)
            guard !found.isEmpty else { throw Problem.notFound }
            return try await ImportTable(
                name: "import-changes.csv",
                columns: ChangeColumns.names + ["fields", "was", "becomes"]
            ) { [database] position, limit in
                try await database.query(
                    .changes(
                        of: importID, file: file, change: change, after: position.map { "\($0)" },
                        limit: limit, with: ChangeColumns.textual, caller), as: caller)
            }.response()
        }
        let rows = try await database.read(as: caller) { session in
            let found = try await session.query(.importDetails(importID, of: caller))
            guard !found.isEmpty else { throw Problem.notFound }
            return try await session.query(
                page.of(
                    .changes(
                        of: importID, file: file, change: change, after: page.after(0),
                        limit: page.limitPlusOne, with: ChangeColumns.structured, caller)))
        }
        return try page.response(
            rows, columns: ChangeColumns.names.count + 2,
            key: { [String(try $0.int("position"))] }, request: request
        ).varying(by: "Accept")
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
        of importID: ImportID, file: String?, change: String?, after position: String?,
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
           and (\(position)::text is null or c.position > \(position)::integer)
         order by c.position
         limit \(limit)
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
            .orNull(
                "kind", .word(["person", "class", "seat", "course", "location", "term"]),
                "What it is a row of; absent in plans of earlier versions."),
            .orNull("givenName", .line(), "Of a person and of a seat, before the import."),
            .orNull("familyName", .line(), "Of a person and of a seat, before the import."),
            .orNull("grade", .line(), "Of a person and of a seat."),
            .orNull("location", .line(), "Of a person: the name of the location."),
            .orNull("name", .line(), "Of everything else; of a seat, that of its class."),
            .required(
                "fields", .array(.text(1...50), count: 0...20),
                "What differs, where it is changed."),
            .required(
                "values", .array(.object(importValue), count: 0...20),
                "From what to what: of the fields that are single values."),
        ])

    static let importValue = ObjectShape(
        "ImportValue",
        [
            .required("name", .text(1...50), "As in `fields`."),
            .orNull("was", .text(0...1000), "Names stand for ids."),
            .orNull("becomes", .text(0...1000)),
        ])
}
