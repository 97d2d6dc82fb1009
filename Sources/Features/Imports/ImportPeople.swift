import API
import Contract
import HTTPWire
import Postgres
import School

extension Imports {
    var peopleEndpoints: [Endpoint] {
        [
            Endpoint(
                ImportCalls.people.method, ImportCalls.people.path,
                "List the people an import changes, or would change",
                for: Standing.directoryManagers,
                query: [
                    .optional(ImportPlanQuery.change, Word<PersonChange>.shape, "Only these.")
                ] + Endpoint.Parameter.page,
                answers: [
                    .of(
                        ImportCalls.people,
                        "Who leaves, who joins, who changes, and who only changes classes, each with the seats: of the "
                            + "first 10,000 rows of each file.")
                ], reads: .replica, handler: listPeople)
        ]
    }

    private func listPeople(_ request: Request, caller: Caller) async throws -> Response {
        let importID: ImportID = try request.id("id")
        let change = request.query(ImportPlanQuery.change)
        let list = ImportList(columns: ImportedPerson.declaration.object.fields.count) {
            .people(of: importID, change: change, after: $0, limit: $1, caller)
        }
        return try await answer(list, request, caller)
    }
}

extension Statement {
    /// Seats stand with their people, so that a page of people reads the seats of those alone.
    fileprivate static func people(
        of importID: ImportID, change: String?, after last: Int?, limit: Int, _ caller: Caller
    ) -> Statement {
        """
        select p.change, p.line, p.source_id, x.person_id as "personId", p.about ->> 'givenName' as given_name,
               p.about ->> 'familyName' as family_name,
               coalesce(p.about ->> 'nameOrder', (select school.my_name_order())) as name_order,
               p.about ->> 'role' as role, p.about ->> 'grade' as grade, p.about ->> 'location' as location,
               p.differences as "values", coalesce(p.about -> 'roles', '[]') as roles,
               coalesce(s.seats, '[]') as seats, coalesce(s.number, 0) as "seatCount", p.place as position
          from (\(fragment: changedPeople(of: importID, caller))) as p
          left join school.person as x
            on x.organization_id = \(caller.organizationID) and x.person_id = p.person_id
          left join lateral (
                select json_agg(json_build_object(
                           'change', c.change, 'class', c.about ->> 'class', 'classSourceId', c.class_source_id,
                           'role', c.about ->> 'role') order by c.position) filter (where c.n <= \(ImportLimit.seats)) as seats,
                       count(*) as number
                  from (select e.*, row_number() over (order by e.position) as n
                          from school.import_change as e
                         where e.organization_id = \(caller.organizationID) and e.import_id = \(importID)
                           and e.person_id = p.person_id and e.kind = 'seat') as c) as s on true
         where (\(change)::text is null or p.change = \(change))
           and (\(last)::bigint is null or p.place > \(last)::bigint)
         order by p.place
         limit \(limit)
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
