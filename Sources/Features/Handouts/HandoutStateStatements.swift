import Postgres
import School
import Values

extension Statement {
    /// A handout that the caller may change, locked until the transaction ends.
    ///
    /// While this call waited for the lock, another one may have published it.
    static func lockHandout(_ id: HandoutID, of organization: OrganizationID) -> Statement {
        """
        select h.version, h.class_id, h.author_id, h.environment, h.title, h.instructions, h.publish_at,
               h.due_at, h.maximum_points::text as maximum_points, coalesce(h.publish_at <= school.latest_moment(), false) as is_published,
               h.completed_at is not null as is_completed,
               c.archived_at is not null as is_class_archived,
               (select count(*) from school.task as t
                 where t.organization_id = h.organization_id
                   and t.handout_id = h.handout_id)::integer as task_count
          from school.handout as h
          join school.class as c
            on c.organization_id = h.organization_id and c.class_id = h.class_id
         where h.organization_id = \(organization) and h.handout_id = \(id)
           for update of h
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

    static func unpublish(_ id: HandoutID, of organization: OrganizationID) -> Statement {
        """
        update school.handout set publish_at = null
         where organization_id = \(organization) and handout_id = \(id) and publish_at is not null
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

    static func archive(_ id: HandoutID, of organization: OrganizationID) -> Statement {
        """
        update school.handout set archived_at = coalesce(archived_at, school.moment())
         where organization_id = \(organization) and handout_id = \(id)
        """
    }

    static func unarchive(_ id: HandoutID, of organization: OrganizationID) -> Statement {
        """
        update school.handout set archived_at = null
         where organization_id = \(organization) and handout_id = \(id)
        """
    }

    static func removeHandout(_ id: HandoutID) -> Statement {
        "select school.delete_handout(\(id), null) as is_removed"
    }
}
