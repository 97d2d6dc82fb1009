import Postgres
import School

extension Statement {
    /// People by reference, in the order of the references, null for what the caller does not see: whether they are
    /// active, where they have roles, and which of those locations have a pool of the app.
    static func people(
        _ references: [Reference<PersonEntity>?], locationsFor app: String,
        in organization: OrganizationID
    ) -> Statement {
        """
        select p.person_id, p.deactivated_at is null as is_active, r.locations, r.pools
          from unnest(\(references.map { $0?.id }), \(references.map { $0?.source }))
               with ordinality as w (id, source, position)
          left join school.person as i
            on i.organization_id = \(organization) and i.person_id = w.id
          left join school.person as s
            on s.organization_id = \(organization) and s.source_id = w.source
          left join school.person as p
            on p.organization_id = \(organization)
           and p.person_id = coalesce(i.person_id, s.person_id)
         cross join lateral (
               select coalesce(array_agg(distinct r.location_id), '{}') as locations,
                      coalesce(array_agg(distinct o.location_id)
                               filter (where o.location_id is not null), '{}') as pools
                 from school.person_role as r
                 left join school.pool as o
                   on o.organization_id = r.organization_id and o.location_id = r.location_id
                  and o.adam_id = \(app)
                where r.organization_id = p.organization_id and r.person_id = p.person_id) as r
         order by w.position
        """
    }

    static func classToLicense(
        _ reference: Reference<ClassEntity>, of organization: OrganizationID
    ) -> Statement {
        let name: Statement =
            switch reference {
            case .id(let id): "c.class_id = \(id)"
            case .source(let source): "c.source_id = \(source)"
            }
        return """
            select c.class_id, c.location_id, c.archived_at is not null as is_archived
              from school.class as c
             where c.organization_id = \(organization) and \(fragment: name)
            """
    }

    /// The active people with a seat in the class now.
    static func students(of id: ClassID, in organization: OrganizationID) -> Statement {
        """
        select s.person_id from school.seat as s
          join school.person as p
            on p.organization_id = s.organization_id and p.person_id = s.person_id
         where s.organization_id = \(organization) and s.class_id = \(id) and s.role = 'student'
           and school.is_seated(s)
           and p.deactivated_at is null
         order by s.person_id
        """
    }
}
