import Postgres
import School
import Values

extension Statement {
    /// A handout that the caller may change, held against others until the transaction ends.
    static func lockHandout(_ id: HandoutID, of organization: OrganizationID) -> Statement {
        """
        select h.version, h.class_id, h.publish_at is not null as has_moment,
               coalesce(h.publish_at <= now(), false) as is_published,
               h.completed_at is not null as is_completed
          from school.handout as h
         where h.organization_id = \(organization) and h.handout_id = \(id)
           for update
        """
    }

    static func publish(
        _ id: HandoutID, at moment: Timestamp?, of organization: OrganizationID
    ) -> Statement {
        """
        update school.handout
           set publish_at = greatest(coalesce(\(moment), school.moment()), school.moment())
         where organization_id = \(organization) and handout_id = \(id)
        """
    }

    static func complete(_ id: HandoutID, of organization: OrganizationID) -> Statement {
        """
        update school.handout set completed_at = coalesce(completed_at, school.moment())
         where organization_id = \(organization) and handout_id = \(id)
        """
    }

    static func lock(_ id: HandoutID, of organization: OrganizationID) -> Statement {
        """
        update school.handout set locked_at = coalesce(locked_at, school.moment())
         where organization_id = \(organization) and handout_id = \(id)
        """
    }

    static func unlock(_ id: HandoutID, of organization: OrganizationID) -> Statement {
        """
        update school.handout set locked_at = null
         where organization_id = \(organization) and handout_id = \(id)
        """
    }

    static func removeHandout(_ id: HandoutID) -> Statement {
        "select school.delete_handout(\(id), null) as is_removed"
    }
}
