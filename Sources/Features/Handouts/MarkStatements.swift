import API
import Postgres
import School
import Values

/// What is marked, as a path names it: a student's task, or the handout as a whole.
struct MarkPath: Sendable {
    let handout: HandoutID
    /// `nil` for the handout as a whole.
    let task: TaskID?
    let person: Reference<PersonEntity>

    init(_ request: Request) throws {
        handout = try request.id("id")
        task = request.path("taskId").isEmpty ? nil : try request.id("taskId")
        person = try request.reference("personId")
    }
}

/// Where a page of marks ended: the student, and the task or the handout.
struct MarkPosition: Sendable {
    let person: UUID
    let marked: UUID

    /// `nil` on the first page.
    init?(_ page: Page) throws {
        guard let last = try ReviewPosition(page) else { return nil }
        (person, marked) = (last.person, last.task)
    }
}

extension Statement {
    /// What is marked, if the caller sees a student who has the handout or was given a mark.
    ///
    /// - Parameter isChanging: whether the handout stays as it is until the transaction ends.
    static func marked(
        _ path: MarkPath, _ caller: Caller, isChanging: Bool = false
    ) -> Statement {
        let lock: Statement? = isChanging ? "for share of h" : nil
        return """
            select p.person_id, coalesce(h.publish_at <= school.latest_moment(), false) as is_published,
                   c.archived_at is not null as is_class_archived,
                   case when \(path.task)::uuid is null then h.maximum_points else t.maximum_points end::text
                       as maximum_points
              from school.handout as h
              join school.class as c on c.organization_id = h.organization_id and c.class_id = h.class_id
              left join school.task as t
                on t.organization_id = h.organization_id and t.handout_id = h.handout_id
               and t.task_id = \(path.task)
              join school.person as p
                on p.organization_id = h.organization_id
               and p.person_id = \(fragment: path.person.value(in: caller.organizationID))
             where h.organization_id = \(caller.organizationID) and h.handout_id = \(path.handout)
               and (\(path.task)::uuid is null or t.task_id is not null)
               and (exists (select from school.handout_seats(array[h.handout_id]) as s
                             where s.person_id = p.person_id)
                    or exists (select from school.mark as m
                                where m.organization_id = h.organization_id
                                  and m.handout_id = h.handout_id and m.person_id = p.person_id))
               \(optional: lock)
            """
    }

    /// The mark that was given; no row if there is none, or it was taken away.
    static func mark(_ path: MarkPath, of student: UUID, _ caller: Caller) -> Statement {
        """
        select m.person_id, m.task_id, m.points::double precision as "points",
               m.maximum_points::double precision as "maximum", m.given_at, m.version as "revision",
               m.version
          from school.mark as m
         where m.organization_id = \(caller.organizationID) and m.handout_id = \(path.handout)
           and m.person_id = \(student) and m.task_id is not distinct from \(path.task)
           and m.points is not null
        """
    }

    static func markDraft(_ path: MarkPath, of student: UUID, _ caller: Caller) -> Statement {
        """
        select d.person_id, d.task_id, d.points::double precision as "points", d.replaces as "replaces",
               d.updated_at, d.version
          from school.mark_draft as d
         where d.organization_id = \(caller.organizationID) and d.handout_id = \(path.handout)
           and d.person_id = \(student) and d.author_id = \(caller.personID)
           and d.task_id is not distinct from \(path.task)
        """
    }

    /// What was given, and the caller's drafts.
    static func marks(
        at id: HandoutID, _ caller: Caller, after position: MarkPosition?, limit: Int
    ) -> Statement {
        """
        select coalesce(m.person_id, d.person_id) as person_id, coalesce(m.task_id, d.task_id) as task_id,
               (select i.maximum_points::double precision from (\(fragment: markable(id, caller))) as i
                 where i.marked = coalesce(m.marked, d.marked)) as "maximum",
               \(fragment: given) as "mark", \(fragment: drafted) as "draft"
          from (select k.*, coalesce(k.task_id, k.handout_id) as marked from school.mark as k
                 where k.organization_id = \(caller.organizationID) and k.handout_id = \(id)
                   and k.points is not null) as m
          full join (select k.*, coalesce(k.task_id, k.handout_id) as marked from school.mark_draft as k
                      where k.organization_id = \(caller.organizationID) and k.handout_id = \(id)
                        and k.author_id = \(caller.personID)) as d
            on d.person_id = m.person_id and d.marked = m.marked
         where \(position?.person)::uuid is null
            or (coalesce(m.person_id, d.person_id), coalesce(m.marked, d.marked))
               > (\(position?.person)::uuid, \(position?.marked)::uuid)
         order by coalesce(m.person_id, d.person_id), coalesce(m.marked, d.marked)
         limit \(limit)
        """
    }

    /// The handout as a whole and its tasks, with how many points there are for each.
    private static func markable(_ id: HandoutID, _ caller: Caller) -> Statement {
        """
        select h.handout_id as marked, null::uuid as task_id, 0 as position, h.maximum_points
          from school.handout as h
         where h.organization_id = \(caller.organizationID) and h.handout_id = \(id)
        union all
        select t.task_id, t.task_id, t.position, t.maximum_points from school.task as t
         where t.organization_id = \(caller.organizationID) and t.handout_id = \(id)
        """
    }

    private static let given: Statement = """
        case when m.mark_id is not null then json_build_object(
            'points', m.points::double precision, 'maximum', m.maximum_points::double precision,
            'givenAt', \(fragment: rfc3339("m.given_at")), 'revision', m.version) end
        """

    private static let drafted: Statement = """
        case when d.mark_draft_id is not null then json_build_object(
            'points', d.points::double precision, 'replaces', d.replaces,
            'updatedAt', \(fragment: rfc3339("d.updated_at"))) end
        """

    /// What is or was marked of a student's handout; without drafts for the student, who cannot ask for any.
    static func studentMarks(
        _ path: MarkPath, of student: UUID, _ caller: Caller, after position: Int?, limit: Int
    ) -> Statement {
        let drafts: Statement? =
            caller.standing == .teacher
            ? """
            left join school.mark_draft as d
              on d.organization_id = \(caller.organizationID) and d.handout_id = \(path.handout)
             and d.author_id = \(caller.personID) and d.person_id = \(student)
             and coalesce(d.task_id, d.handout_id) = i.marked
            """ : nil
        let drafted: Statement = drafts == nil ? "null::json" : self.drafted
        let isDrafted: Statement = drafts == nil ? "false" : "d.mark_draft_id is not null"
        return """
            select \(student)::uuid as person_id, i.task_id, i.maximum_points::double precision as "maximum",
                   \(fragment: given) as "mark", \(fragment: drafted) as "draft", i.position as "_position"
              from (\(fragment: markable(path.handout, caller))) as i
              left join school.mark as m
                on m.organization_id = \(caller.organizationID) and m.handout_id = \(path.handout)
               and m.person_id = \(student) and coalesce(m.task_id, m.handout_id) = i.marked
               and m.points is not null
              \(optional: drafts)
             where (i.maximum_points is not null or m.mark_id is not null or \(fragment: isDrafted))
               and (\(position)::bigint is null or i.position > \(position))
             order by i.position
             limit \(limit)
            """
    }

    static func draftMark(
        _ path: MarkPath, of student: UUID, _ points: Points, replacing revision: Int?
    ) -> Statement {
        """
        select school.draft_mark(\(path.handout), \(path.task), \(student),
                                 (\(points.text)::text)::double precision, \(revision.map(Int64.init)))
               as is_drafted
        """
    }

    static func removeMarkDraft(_ path: MarkPath, of student: UUID, _ caller: Caller) -> Statement {
        """
        delete from school.mark_draft
         where organization_id = \(caller.organizationID) and handout_id = \(path.handout)
           and person_id = \(student) and author_id = \(caller.personID)
           and task_id is not distinct from \(path.task)
        """
    }

    static func giveMark(_ path: MarkPath, of student: UUID) -> Statement {
        "select school.give_mark(\(path.handout), \(path.task), \(student)) as outcome"
    }

    static func takeMarkAway(_ path: MarkPath, of student: UUID, _ caller: Caller) -> Statement {
        """
        update school.mark
           set points = null, author_id = \(caller.personID), given_at = school.moment()
         where organization_id = \(caller.organizationID) and handout_id = \(path.handout)
           and person_id = \(student) and task_id is not distinct from \(path.task)
           and points is not null
        """
    }
}
