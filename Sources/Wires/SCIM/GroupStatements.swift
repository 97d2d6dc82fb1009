import JSONBytes
import Postgres
import School
import Values

extension Statement {
    /// Changes of the same roster wait for this lock, by whatever way they come: the limit of seats takes it, too.
    static func lockClass(_ id: UUID, of organization: OrganizationID) -> Statement {
        """
        select class_id from school.class
         where organization_id = \(organization) and class_id = \(id) for no key update
        """
    }

    static func lockLocation(_ id: UUID, of organization: OrganizationID) -> Statement {
        """
        select location_id from school.location
         where organization_id = \(organization) and location_id = \(id) for no key update
        """
    }

    static func insertClass(
        _ id: UUID, _ draft: GroupDraft, at location: UUID, of organization: OrganizationID
    ) -> Statement {
        "select school.add_rows('class', \(organization), \(rows(id, draft.columns(at: location))))"
    }

    /// - Parameter location: where the class is from now on; `nil` for where it is.
    static func updateClass(
        _ id: UUID, _ draft: GroupDraft, at location: UUID?, of organization: OrganizationID
    ) -> Statement {
        "select school.change_rows('class', \(organization), \(rows(id, draft.columns(at: location))))"
    }

    static func updateLocation(
        _ id: UUID, _ draft: GroupDraft, of organization: OrganizationID
    ) -> Statement {
        """
        update school.location set name = \(draft.name)
         where organization_id = \(organization) and location_id = \(id)
        """
    }

    static func handouts(ofClass id: UUID) -> Statement {
        "select handouts from school.hanging_on_class(\(id))"
    }

    static func deleteClass(_ id: UUID) -> Statement { "select school.delete_class(\(id))" }

    static func archiveClass(_ id: UUID, of organization: OrganizationID) -> Statement {
        """
        update school.class set archived_at = school.moment()
         where organization_id = \(organization) and class_id = \(id)
        """
    }

    /// Ends the seats of people in a class, whichever they have.
    static func endSeats(of people: [UUID], in id: UUID) -> Statement {
        """
        select school.end_seat(\(id), r.role, p.id)
          from unnest(\(people)) as p (id) cross join (values ('student'), ('teacher')) as r (role)
        """
    }

    static func putSeats(_ rows: JSONDocument) -> Statement {
        "select outcome, most from school.put_seats(\(rows))"
    }

    /// The users of these ids in their order, and whether each learns in a class; `id` is null for an id of no user.
    static func users(_ ids: [UUID]) -> Statement {
        """
        select w.wanted, x.id, 'student' = any (x.roles) and not 'teacher' = any (x.roles) as learns
          from unnest(\(ids)) with ordinality as w (wanted, position)
          left join school.scim_users() as x on x.id = w.wanted
         order by w.position
        """
    }
}
