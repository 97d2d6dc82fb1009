import API
import HTTPWire
import Postgres
import School

/// What an import does to a person.
enum ImportedPersonChange: String, CaseIterable {
    case removed, created, changed
    /// Nothing but where he or she sits or teaches.
    case seats
}

extension Imports {
    /// How many seats of a person are listed.
    private static let seatsMax = 50

    var peopleEndpoints: [Endpoint] {
        [
            Endpoint(
                .get, "/v1/imports/{id}/people",
                "List the people an import changes, or would change",
                for: Standing.directoryManagers,
                query: [
                    .optional(
                        "change", .word(ImportedPersonChange.allCases.map(\.rawValue)),
                        "Only these.")
                ] + Endpoint.Parameter.page,
                answers: [
                    .page(
                        "Who leaves, who joins, who changes, and who only changes classes, each with the seats: of the "
                            + "first 10,000 rows of each file.", of: .importedPerson)
                ], reads: .replica, handler: listPeople)
        ]
    }

    private func listPeople(_ request: Request, caller: Caller) async throws -> Response {
        let importID: ImportID = try request.id("id")
        let page = try request.page()
        let change = request.query("change")
        let rows = try await database.read(as: caller) { session in
            let found = try await session.query(.importDetails(importID, of: caller))
            guard !found.isEmpty else { throw Problem.notFound }
            return try await session.query(
                page.of(
                    .people(
                        of: importID, change: change, seatsMax: Self.seatsMax, page, caller)))
        }
        return try page.response(
            rows, columns: 14, key: { [String(try $0.int("place"))] }, request: request)
    }
}

extension Statement {
    /// Seats stand with their people, so that a page of people reads the seats of those alone.
    fileprivate static func people(
        of importID: ImportID, change: String?, seatsMax: Int, _ page: Page, _ caller: Caller
    ) -> Statement {
        """
        select p.change, p.line, p.source_id, x.person_id as "personId", p.about ->> 'givenName' as given_name,
               p.about ->> 'familyName' as family_name,
               coalesce(p.about ->> 'nameOrder', (select school.my_name_order())) as name_order,
               p.about ->> 'role' as role, p.about ->> 'grade' as grade, p.about ->> 'location' as location,
               p.differences as "values", coalesce(p.about -> 'roles', '[]') as roles,
               coalesce(s.seats, '[]') as seats, coalesce(s.number, 0) as "seatCount", p.place
          from (\(fragment: changedPeople(of: importID, caller))) as p
          left join school.person as x
            on x.organization_id = \(caller.organizationID) and x.person_id = p.person_id
          left join lateral (
                select json_agg(json_build_object(
                           'change', c.change, 'class', c.about ->> 'class', 'classSourceId', c.class_source_id,
                           'role', c.about ->> 'role') order by c.position) filter (where c.n <= \(seatsMax)) as seats,
                       count(*) as number
                  from (select e.*, row_number() over (order by e.position) as n
                          from school.import_change as e
                         where e.organization_id = \(caller.organizationID) and e.import_id = \(importID)
                           and e.person_id = p.person_id and e.kind = 'seat') as c) as s on true
         where (\(change)::text is null or p.change = \(change))
           and (\(page.isFirst) or p.place > \(page.after(0))::bigint)
         order by p.place
         limit \(page.limitPlusOne)
        """
    }

    /// Those who leave come first, then those who join, then those who change.
    private static func changedPeople(of importID: ImportID, _ caller: Caller) -> Statement {
        """
        select c.position + case c.change when 'removed' then 0 when 'created' then 1000000000 else 2000000000 end::bigint
                   as place, c.change, c.line, c.source_id, c.person_id, c.about, c.differences
          from school.import_change as c
         where c.organization_id = \(caller.organizationID) and c.import_id = \(importID) and c.kind = 'person'
        union all
        select 3000000000 + min(c.position), 'seats', null, min(c.person_source_id), c.person_id,
               (array_agg(c.about - 'role' order by c.position))[1], '[]'
          from school.import_change as c
         where c.organization_id = \(caller.organizationID) and c.import_id = \(importID) and c.kind = 'seat'
           and not exists (select from school.import_change as o
                            where o.organization_id = c.organization_id and o.import_id = c.import_id
                              and o.person_id = c.person_id and o.kind = 'person')
         group by c.person_id
        """
    }
}

extension ObjectShape {
    fileprivate static let importedPerson = ObjectShape(
        "ImportedPerson",
        [
            .required(
                "change", .word(ImportedPersonChange.allCases.map(\.rawValue)),
                "removed: is deactivated. seats: only classes change."),
            .orNull(
                "line", .integer(1...Int.max), "Absent where the archive does not name the person."),
            .orNull("sourceId", .text(1...255)),
            .orNull("personId", .uuid, "Of a person who is here."),
            .orNull("givenName", .line(), "Before the import, where there was one."),
            .orNull("familyName", .line()),
            .orNull("nameOrder", .nameOrder),
            .orNull("role", .word(["student", "staff"]), "Absent where only classes change."),
            .orNull("grade", .line()),
            .orNull("location", .line(), "The name of the location."),
            .required(
                "values", .array(.object(importValue), count: 0...20), "From what to what."),
            .required(
                "roles",
                .array(
                    .fields(
                        "ImportedRole",
                        [
                            .required("role", .text(1...50)),
                            .orNull("location", .line(), "The name of the location."),
                            .required("change", .word(["removed", "created"])),
                        ]), count: 0...1000), "What roles are given and taken."),
            .required(
                "seats",
                .array(
                    .fields(
                        "ImportedSeat",
                        [
                            .required(
                                "change", .word(ImportChange.allCases.map(\.rawValue))),
                            .orNull("class", .line(), "The name of the class."),
                            .orNull("classSourceId", .text(1...255)),
                            .orNull("role", .word(["student", "teacher"])),
                        ]), count: 0...50), "The first of them."),
            .required("seatCount", .integer(0...Int.max), "All of them."),
        ])
}
