import Postgres
import School
import Values

/// The past. Handouts cannot be published in it, and rosters do not begin in it, because then attempts that
/// nobody had assigned would come to light; a demonstration wants a few weeks of history all the same. These
/// statements, as the owner of the database, are all that happens behind the service's back.
extension Statement {
    /// Lets everybody who came to a class just now have been there for forty days.
    static func ageSeats(of organization: OrganizationID) -> Statement {
        """
        update school.seat set joined_at = joined_at - interval '40 days'
         where organization_id = \(organization) and joined_at > now() - interval '20 days'
        """
    }

    /// Lets it have been known all the time that they were there: what moves a seat back keeps count of when
    /// that became known (`keep_joining`), and nothing from before it is recorded.
    static func ageKnowledgeOfSeats(of organization: OrganizationID) -> Statement {
        """
        update school.seat set recorded_at = null
         where organization_id = \(organization) and recorded_at is not null
        """
    }

    /// Moves the publication of handouts.
    static func ageHandouts(
        _ handouts: [UUID], to moments: [Timestamp], of organization: OrganizationID
    ) -> Statement {
        """
        update school.handout as h set created_at = w.moment, publish_at = w.moment
          from unnest(\(handouts), \(moments)) as w (handout_id, moment)
         where h.organization_id = \(organization) and h.handout_id = w.handout_id
        """
    }

    /// Lets tasks be as old as their handouts.
    static func ageTasks(of organization: OrganizationID) -> Statement {
        """
        update school.task as t set created_at = h.created_at
          from school.handout as h
         where h.organization_id = \(organization) and t.organization_id = h.organization_id
           and t.handout_id = h.handout_id and t.created_at > h.created_at
        """
    }

    /// Moves what students opened and did just now to when they worked on it.
    static func ageAssignments(
        of student: PersonID, tasks: [UUID], openedAt: [Timestamp], doneAt: [Timestamp],
        in organization: OrganizationID
    ) -> Statement {
        """
        update school.assignment as a
           set opened_at = w.opened_at, done_at = case when a.done_at is not null then w.done_at end
          from unnest(\(tasks), \(openedAt), \(doneAt)) as w (task_id, opened_at, done_at)
         where a.organization_id = \(organization) and a.person_id = \(student)
           and a.task_id = w.task_id
        """
    }
}
