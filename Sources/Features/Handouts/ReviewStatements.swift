import API
import Postgres
import School
import Values

/// Work that a teacher was shown: tasks as students had done them.
struct ShownWork: Sendable {
    let tasks: [UUID]
    let people: [UUID]
    let moments: [Timestamp]

    /// `nil` if the body does not say.
    init?(_ body: Fields) {
        guard let work = body.objects("work") else { return nil }
        tasks = work.compactMap { $0.uuid("taskId") }
        people = work.compactMap { $0.uuid("personId") }
        moments = work.compactMap { $0.timestamp("doneAt") }
    }
}

/// Where a page of marks ended.
struct ReviewPosition: Sendable {
    let person: UUID
    let task: UUID

    /// `nil` on the first page.
    init?(_ page: Page) throws {
        guard !page.isFirst else { return nil }
        guard let person = page.after(0).flatMap({ UUID($0) }),
            let task = page.after(1).flatMap({ UUID($0) })
        else { throw Problem.foreignPageToken }
        self.person = person
        self.task = task
    }
}

extension Statement {
    static func seen(_ id: HandoutID, of organization: OrganizationID) -> Statement {
        """
        select coalesce(publish_at <= school.moment(), false) as is_published from school.handout
         where organization_id = \(organization) and handout_id = \(id)
        """
    }

    static func reviews(
        of id: HandoutID, by caller: Caller, after: ReviewPosition?, limit: Int
    ) -> Statement {
        """
        select r.person_id, r.task_id, r.done_at, r.reviewed_at
          from school.task as t
          join school.review as r on r.organization_id = t.organization_id and r.task_id = t.task_id
         where t.organization_id = \(caller.organizationID) and t.handout_id = \(id)
           and r.teacher_id = \(caller.personID)
           and (\(after?.person)::uuid is null
                or (r.person_id, r.task_id) > (\(after?.person)::uuid, \(after?.task)::uuid))
         order by r.person_id, r.task_id
         limit \(limit)
        """
    }

    static func markReviewed(
        _ id: HandoutID, people: [UUID]?, until moment: Timestamp?, work: ShownWork?,
        digest: String?
    ) -> Statement {
        """
        select school.mark_reviewed(\(id), \(people), \(moment), \(work?.tasks), \(work?.people),
                                    \(work?.moments), \(digest)) as students
        """
    }

    static func takeReviewsBack(_ id: HandoutID) -> Statement {
        "select school.take_reviews_back(\(id)) as students"
    }

    /// - Parameter isMarking: whether the caller's drafts of marks for these students are given with it.
    static func returnWork(
        _ id: HandoutID, tasks: [UUID]?, people: [UUID], note: String?, isToTryAgain: Bool,
        until moment: Timestamp?, work: ShownWork?, isMarking: Bool
    ) -> Statement {
        """
        select school.return_work(\(id), \(tasks), \(people), \(note), \(isToTryAgain), \(moment),
                                  \(work?.tasks), \(work?.people), \(work?.moments)) as students,
               g.given as "marks", g.kept as "marksKept"
          from school.give_marks(\(id), \(isMarking ? people : [])) as g
        """
    }
}
