import Postgres
import School
import Values

/// Moves the demonstration's data into the past. Handouts cannot be published in the past and rosters cannot begin in
/// it, because that would reveal attempts that no one had assigned. But a demonstration needs a few weeks of history.
/// These statements, run as the owner of the database, are the only ones that bypass the service.
extension Statement {
    /// Makes everyone who just joined a class a member for the last forty days.
    static func ageSeats(of organization: OrganizationID) -> Statement {
        """
        update school.seat set joined_at = joined_at - interval '40 days'
         where organization_id = \(organization) and joined_at > school.moment() - interval '20 days'
        """
    }

    /// Makes their membership known from its beginning: moving a seat back records when that became known
    /// (`keep_joining`), and nothing from before that moment is stored.
    static func ageKnowledgeOfSeats(of organization: OrganizationID) -> Statement {
        """
        update school.seat set recorded_at = null
         where organization_id = \(organization) and recorded_at is not null
        """
    }

    /// Moves the publication dates of handouts.
    static func ageHandouts(
        _ handouts: [UUID], to moments: [Timestamp], of organization: OrganizationID
    ) -> Statement {
        """
        update school.handout as h set created_at = w.moment, publish_at = w.moment
          from unnest(\(handouts), \(moments)) as w (handout_id, moment)
         where h.organization_id = \(organization) and h.handout_id = w.handout_id
        """
    }

    /// Makes tasks as old as their handouts.
    static func ageTasks(of organization: OrganizationID) -> Statement {
        """
        update school.task as t set created_at = h.created_at
          from school.handout as h
         where h.organization_id = \(organization) and t.organization_id = h.organization_id
           and t.handout_id = h.handout_id and t.created_at > h.created_at
        """
    }

    /// Moves what students just opened and did to the time when they worked on it.
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
