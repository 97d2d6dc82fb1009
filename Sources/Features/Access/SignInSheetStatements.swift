import JSONBytes
import Postgres
import School
import Values

extension Statement {
    static func sheetClass(
        _ reference: Reference<ClassEntity>, in organization: OrganizationID
    ) -> Statement {
        """
        select class_id as id, coalesce(display_name, name) as name
          from school.class
         where organization_id = \(organization)
           and (class_id = \(reference.id) or source_id = \(reference.source))
        """
    }

    static func sheetLocation(
        _ reference: Reference<LocationEntity>, in organization: OrganizationID
    ) -> Statement {
        """
        select location_id as id, name
          from school.location
         where organization_id = \(organization)
           and (location_id = \(reference.id) or source_id = \(reference.source))
        """
    }

    /// The people of a sheet, as far as the caller sees them, and whether the caller may set their passwords: `set`,
    /// `forbidden`, `withoutPassword` or `deactivated`. For a list, one row per reference, with nulls for people who are not found.
    static func sheetPeople(
        of subject: SheetSubject, in organization: OrganizationID
    ) -> Statement {
        switch subject {
        case .classOf(let id, _):
            """
            \(fragment: slip)
              from school.person as p
             where p.organization_id = \(organization)
               and p.person_id in (
                   select s.person_id from school.seat as s
                    where s.organization_id = \(organization) and s.class_id = \(id)
                      and s.role = 'student' and school.is_seated(s))
             order by p.family_name collate "und-x-icu", p.given_name collate "und-x-icu", p.person_id
             limit \(SignInSheet.peopleMax + 1)
            """
        case .location(let id, _):
            """
            \(fragment: slip)
              from school.person as p
             where p.organization_id = \(organization)
               and p.person_id in (
                   select r.person_id from school.person_role as r
                    where r.organization_id = \(organization) and r.location_id = \(id)
                      and r.role = 'student')
             order by p.family_name collate "und-x-icu", p.given_name collate "und-x-icu", p.person_id
             limit \(SignInSheet.peopleMax + 1)
            """
        case .people(let references):
            """
            \(fragment: slip)
              from unnest(\(references.map(\.id)), \(references.map(\.source)))
                   with ordinality as w (id, source, position)
              left join school.person as p
                on p.organization_id = \(organization)
               and (p.person_id = w.id or p.source_id = w.source)
             order by w.position
            """
        }
    }

    private static let slip: Statement = """
        select p.person_id, p.given_name, p.family_name, p.managed_id,
               case when p.person_id is not null then school.name_order_of(p) end as name_order,
               school.password_policy(p.person_id) as password_policy,
               case when p.person_id is not null
                    then school.temporary_password_outcome(p.person_id) end as outcome,
               (select string_agg(coalesce(c.display_name, c.name), ', ' order by c.name, c.class_id)
                  from school.seat as s
                  join school.class as c
                    on c.organization_id = s.organization_id and c.class_id = s.class_id
                 where s.organization_id = p.organization_id and s.person_id = p.person_id
                   and s.role = 'student' and school.is_seated(s) and c.archived_at is null) as classes
        """

    /// The heading of a sheet; dates are in the organization's time zone.
    static func sheetHeading(
        expiresAt: Timestamp, in organization: OrganizationID
    ) -> Statement {
        """
        select o.name as organization,
               to_char(\(expiresAt) at time zone o.time_zone, 'FMDD FMMonth YYYY') as expires_on,
               to_char(school.moment() at time zone o.time_zone, 'FMDD FMMonth YYYY') as made_on
          from school.organization as o
         where o.organization_id = \(organization)
        """
    }

    /// Sets all of them, or none if the caller may no longer set one of them.
    static func setTemporaryPasswords(
        of people: [PersonID], records: [String], expiresAt: Timestamp, on subject: SheetSubject
    ) -> Statement {
        """
        select school.set_temporary_passwords(
                   \(people), \(records), \(expiresAt), \(subject.kind), \(subject.id?.description))
               as is_set
        """
    }
}
