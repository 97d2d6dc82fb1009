import Postgres
import School
import Values

/// Which records of a kind are read.
enum RosterRange<Entity: Referable>: Sendable {
    case only(Reference<Entity>)
    /// In the order of their ids.
    ///
    /// - Parameter reaching: the ids that a caller may reach who reads little of the table. PostgreSQL would go through
    ///   the rows of a whole district to find those of one teacher.
    case page(after: UUID?, limit: Int, reaching: Statement?)

    /// What follows `from` of a statement over the table.
    fileprivate func source(in organization: OrganizationID) -> Statement {
        let table = Entity.table
        guard case .page(let after, _, let reachable?) = self else {
            return "school.\(fragment: table)"
        }
        let isNext: Statement? = after.map { "where value > \($0)" }
        return """
            (select reached.value as place, \(fragment: table).*
               from (select distinct value from unnest(\(fragment: reachable)) as value
                     \(optional: isNext) order by value) as reached
              cross join lateral (
                    select * from school.\(fragment: table)
                     where organization_id = \(organization) and \(fragment: table)_id = reached.value
                    offset 0) as \(fragment: table))
            """
    }

    /// What follows `where … and` of a statement over the source, under that alias.
    fileprivate func selected(_ row: Statement) -> Statement {
        let id: Statement = "\(fragment: row).\(fragment: Entity.table)_id"
        switch self {
        case .only(let reference): return reference.names(row)
        case .page(_, let limit, _?):
            return "true order by \(fragment: row).place limit \(limit)"
        case .page(let after, let limit, nil):
            let isNext: Statement = after.map { "\(fragment: id) > \($0)" } ?? "true"
            return "\(fragment: isNext) order by \(fragment: id) limit \(limit)"
        }
    }
}

extension Statement {
    static func rosterOrganization(_ organization: OrganizationID) -> Statement {
        """
        select o.organization_id as "id", o.name, 'EDUCATION'::text as type,
               (select coalesce(json_agg(json_build_object('name', d.domain, 'isVerified', true)
                                         order by d.position, d.domain), '[]')
                  from school.organization_domain as d
                 where d.organization_id = o.organization_id) as domains,
               o.created_at as date_created, o.updated_at as date_last_modified
          from school.organization as o
         where o.organization_id = \(organization)
        """
    }

    static func rosterLocations(
        _ range: RosterRange<LocationEntity>, in organization: OrganizationID
    ) -> Statement {
        """
        select l.location_id as "id", l.name, coalesce(l.time_zone, o.time_zone) as time_zone,
               l.created_at as date_created, l.updated_at as date_last_modified
          from school.location as l
          join school.organization as o on o.organization_id = l.organization_id
         where l.organization_id = \(organization) and \(fragment: range.selected("l"))
        """
    }

    /// Active people.
    ///
    /// - Parameter role: in Apple's word; `nil` for whatever role.
    static func rosterUsers(
        _ range: RosterRange<PersonEntity>, holding role: String? = nil,
        in organization: OrganizationID
    ) -> Statement {
        let holding: Statement? = role.map { word in
            """
            and exists (select from school.person_role as x
                         where x.organization_id = p.organization_id and x.person_id = p.person_id
                           and \(fragment: roleName) = \(word))
            """
        }
        return users(
            range.source(in: organization),
            """
            p.organization_id = \(organization) \(optional: holding) and \(fragment: range.selected("p"))
            """)
    }

    /// Active people with a seat in a class now.
    ///
    /// - Parameter role: what they are in the class, in Apple's word; `nil` for both.
    static func rosterUsers(
        _ range: RosterRange<PersonEntity>, of id: ClassID, as role: String?,
        in organization: OrganizationID
    ) -> Statement {
        let word = role == "Student" ? "student" : "teacher"
        let seated: Statement? = role == nil ? nil : "and s.role = \(word)"
        return users(
            range.source(in: organization),
            """
            p.organization_id = \(organization)
               and p.person_id in (select s.person_id from school.seat as s
                                    where s.organization_id = \(organization) and s.class_id = \(id)
                                      and school.is_seated(s) \(optional: seated))
               and \(fragment: range.selected("p"))
            """)
    }

    /// Apple knows three roles: who manages the school is staff.
    private static let roleName: Statement = """
        case x.role when 'student' then 'Student' when 'teacher' then 'Instructor' else 'Staff' end
        """

    private static func users(_ source: Statement, _ condition: Statement) -> Statement {
        """
        select p.person_id as "id", p.given_name, coalesce(p.middle_name, '') as middle_name, p.family_name,
               p.email, p.grade, coalesce(h.mapping, '[]') as role_location_mapping,
               coalesce(h.names, '{}') as roles,
               p.created_at as date_created, p.updated_at as date_last_modified
          from \(fragment: source) as p
         cross join lateral (
               select json_agg(json_build_object('roleName', r.name, 'locationId', r.location_id)
                               order by r.name, r.location_id) as mapping,
                      array_agg(distinct r.name order by r.name) as names
                 from (select distinct \(fragment: roleName) as name, x.location_id
                         from school.person_role as x
                        where x.organization_id = p.organization_id and x.person_id = p.person_id) as r) as h
         where p.deactivated_at is null and \(fragment: condition)
        """
    }

    /// A class that is not archived; no row if there is none, or the caller does not see it.
    static func openClass(
        _ reference: Reference<ClassEntity>, in organization: OrganizationID
    ) -> Statement {
        """
        select c.class_id as "id" from school.class as c
         where c.organization_id = \(organization) and c.archived_at is null
           and \(fragment: reference.names("c"))
        """
    }

    /// Classes that are not archived, with those who are in them now.
    static func rosterClasses(
        _ range: RosterRange<ClassEntity>, in organization: OrganizationID
    ) -> Statement {
        """
        select c.class_id as "id", c.name, c.number, c.room, c.display_name, c.location_id,
               \(fragment: seated("'teacher'")) as instructor_ids,
               \(fragment: seated("'student'")) as student_ids,
               c.created_at as date_created, c.updated_at as date_last_modified
          from \(fragment: range.source(in: organization)) as c
         where c.organization_id = \(organization) and c.archived_at is null
           and \(fragment: range.selected("c"))
        """
    }

    private static func seated(_ role: Statement) -> Statement {
        """
        array(select s.person_id from school.seat as s
                join school.person as p
                  on p.organization_id = s.organization_id and p.person_id = s.person_id
               where s.organization_id = c.organization_id and s.class_id = c.class_id
                 and s.role = \(fragment: role) and school.is_seated(s) and p.deactivated_at is null
               order by s.person_id)
        """
    }
}
