import Postgres
import School
import Values

/// What a student sees. The policies leave only the student's own handouts, so these statements do not filter by
/// person.
extension Statement {
    private static func assignmentColumns(_ languages: [String]) -> Statement {
        """
        select t.task_id as "id", h.title, h.instructions, c.class_id, c.name as class_name,
               \(fragment: task(languages)) as "task", h.due_at,
               coalesce(h.due_at < coalesce(a.done_at, school.moment()) and j.person_id is null, false) as "late",
               coalesce(not j.is_given, false) as "beforeJoined",
               h.locked_at is not null as "locked", h.completed_at is not null as "completed",
               school.opened_at(a.opened_at, f.begun_at) as opened_at, a.done_at,
               case when a.returned_at is not null then json_build_object(
                   'at', \(fragment: rfc3339("a.returned_at")), 'note', a.return_note,
                   'tryAgain', a.is_to_try_again) end as "returned",
               case when t.recorded_path is not null and o.is_student_progress_enabled
                         and not p.is_progress_paused and h.locked_at is null
                         and h.completed_at is null and c.archived_at is null
                    then json_build_object('since', \(fragment: since), 'bundleId', t.bundle_id)
               end as "recording",
               t.bundle_id, coalesce(t.identifier_path, '{}') as identifier_path,
               h.publish_at, h.handout_id, t.position
          from school.task as t
          join school.handout as h
            on h.organization_id = t.organization_id and h.handout_id = t.handout_id
          join school.class as c
            on c.organization_id = h.organization_id and c.class_id = h.class_id
          join school.organization as o on o.organization_id = t.organization_id
        """
    }

    /// Since when reported activities count, as in `assigned_tasks`: never before the task, the choice of the student
    /// and the seat existed, or before it was known that the seat did.
    private static let since = rfc3339(
        """
        greatest(h.publish_at, t.created_at, s.joined_at, s.recorded_at,
                 case when h.recipients = 'chosen' or r.created_at < h.for_class_since
                      then r.created_at else h.for_class_since end)
        """)

    /// A timestamp inside a JSON document.
    static func rfc3339(_ moment: Statement) -> Statement {
        """
        to_char(\(fragment: moment) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
        """
    }

    private static func joins(_ person: PersonID?) -> Statement {
        """
        join school.person as p
          on p.organization_id = t.organization_id and p.person_id = \(person)
        join school.seat as s
          on s.organization_id = h.organization_id and s.class_id = h.class_id
         and s.person_id = p.person_id and s.role = 'student' and school.is_seated(s)
        left join school.handout_recipient as r
          on r.organization_id = h.organization_id and r.handout_id = h.handout_id
         and r.person_id = p.person_id
        left join school.assignment as a
          on a.organization_id = t.organization_id and a.task_id = t.task_id
         and a.person_id = p.person_id
        left join school.assignment_figures as f
          on f.organization_id = t.organization_id and f.task_id = t.task_id
         and f.person_id = p.person_id
        left join lateral school.due_before_joining(array[h.handout_id]) as j
          on j.person_id = p.person_id
        """
    }

    /// The result with the links to its contexts and the names of the teachers, which are looked up for one page
    /// rather than for everything. `recording` is null for a withdrawn context, for which nothing is recorded.
    private static func shown(
        _ found: Statement, columns: Statement, inOrderOf order: Statement
    ) -> Statement {
        """
        with found as materialized (\(fragment: found)),
             place as materialized (
                 select c.* from school.contexts_of_my_tasks(array(select f."id" from found as f)) as c)
        select \(fragment: columns)
          from found as f
          join place as c on c.task_id = f."id"
          left join school.teachers_of_my_classes() as w on w.class_id = f.class_id
          left join school.my_new_comments() as n on n.handout_id = f.handout_id
         order by \(fragment: order)
        """
    }

    /// An assignment in a list, and the sort key of the list.
    private static let listed: Statement = """
        f."id", json_build_object('id', f.handout_id, 'title', f.title, 'instructions', f.instructions,
                    'classId', f.class_id, 'className', f.class_name,
                    'teachers', coalesce(w.teachers, '[]'),
                    'newComments', coalesce(n.comments, 0)) as "handout",
               f."task", f.due_at, f."late", f."beforeJoined", f."locked", f."completed", \(fragment: done),
               f.publish_at as "_publishAt", f.handout_id as "_handout", f.position as "_position"
        """

    /// What the student did, what is recorded, and where to go.
    private static let done: Statement = """
        f.opened_at, f.done_at, f."returned",
               case when not c.is_withdrawn then f."recording" end as "recording",
               case when not starts_with(f.bundle_id, 'tool:') then json_build_object(
                   'bundleId', f.bundle_id, 'identifierPath', f.identifier_path,
                   'universalLinkURL', c.universal_link_url,
                   'minimumBundleVersion', c.minimum_bundle_version,
                   'thumbnail', case when c.pictured_id is not null then
                       concat('/v1/catalog/contexts/', c.pictured_id, '/thumbnail') end) end as "target"
        """

    /// Lists leave out archived handouts.
    static func assignments(
        _ caller: Caller, _ filter: AssignmentFilter, languages: [String],
        after: AssignmentPosition?, limit: Int
    ) -> Statement {
        let done: Statement? = filter.state.map {
            "and ((a.done_at is not null or h.completed_at is not null) = (\($0) = 'completed'))"
        }
        let classID: Statement? = filter.classReference.map {
            "and h.class_id = \(fragment: $0.value(in: caller.organizationID))"
        }
        let found: Statement = """
            \(fragment: assignmentColumns(languages)) \(fragment: joins(caller.personID))
             where t.organization_id = \(caller.organizationID) and h.archived_at is null
               \(optional: done) \(optional: classID) \(optional: after.map { next($0, filter) })
             order by \(fragment: filter.isByDueTime
                ? "coalesce(h.due_at, 'infinity'), h.handout_id desc, t.position"
                : "h.publish_at desc, h.handout_id desc, t.position")
             limit \(limit)
            """
        return shown(
            found, columns: listed,
            inOrderOf: filter.isByDueTime
                ? "coalesce(f.due_at, 'infinity'), f.handout_id desc, f.position"
                : "f.publish_at desc, f.handout_id desc, f.position")
    }

    private static func next(_ last: AssignmentPosition, _ filter: AssignmentFilter) -> Statement {
        guard filter.isByDueTime else {
            return """
                and (h.publish_at, h.handout_id, 21 - t.position)
                    < (\(last.moment), \(last.handout), 21 - \(last.position))
                """
        }
        return """
            and (coalesce(h.due_at, 'infinity') > coalesce(\(last.moment)::timestamptz, 'infinity')
                 or coalesce(h.due_at, 'infinity') = coalesce(\(last.moment)::timestamptz, 'infinity')
                    and (h.handout_id, 21 - t.position) < (\(last.handout), 21 - \(last.position)))
            """
    }

    static func assignment(
        _ id: TaskID, _ caller: Caller, languages: [String]
    ) -> Statement {
        shown(
            """
            \(fragment: assignmentColumns(languages)) \(fragment: joins(caller.personID))
             where t.organization_id = \(caller.organizationID) and t.task_id = \(id)
            """, columns: listed, inOrderOf: "f.position")
    }

    /// A handout with a row for each assignment: those of `AssignmentShapes.ownHandoutHead` about the handout, then about the assignment.
    static func ownHandout(_ id: HandoutID, _ caller: Caller, languages: [String]) -> Statement {
        shown(
            """
            \(fragment: assignmentColumns(languages)) \(fragment: joins(caller.personID))
             where t.organization_id = \(caller.organizationID) and t.handout_id = \(id)
            """,
            columns: """
                f.handout_id as "id", f.title, f.instructions, f.class_id, f.class_name,
                       coalesce(w.teachers, '[]') as "teachers",
                       coalesce(n.comments, 0) as "newComments", f.publish_at, f.due_at,
                       f."locked", f."completed", \(fragment: ownMarks(caller)) as "marks",
                       f."id", f."task", f."late", f."beforeJoined", \(fragment: done)
                """, inOrderOf: "f.position")
    }

    /// Those that the student was given, as the policies leave them.
    private static func ownMarks(_ caller: Caller) -> Statement {
        """
        (select coalesce(json_agg(json_strip_nulls(json_build_object(
                    'taskId', m.task_id, 'points', m.points::double precision,
                    'maximum', m.maximum_points::double precision,
                    'givenAt', \(fragment: rfc3339("m.given_at")))) order by m.task_id nulls first), '[]')
           from school.mark as m
          where m.organization_id = \(caller.organizationID) and m.handout_id = f.handout_id
            and m.person_id = \(caller.personID))
        """
    }

    static func note(_ id: TaskID, opened: Bool, _ caller: Caller) -> Statement {
        """
        insert into school.assignment as a (organization_id, task_id, person_id, opened_at)
        values (\(caller.organizationID), \(id), \(caller.personID),
                case when \(opened) then school.moment() end)
        on conflict on constraint assignment_pkey do update
           set opened_at = case when \(opened) then coalesce(a.opened_at, excluded.opened_at) end
        """
    }

    static func note(_ id: TaskID, done: Bool, _ caller: Caller) -> Statement {
        """
        insert into school.assignment as a (organization_id, task_id, person_id, done_at)
        values (\(caller.organizationID), \(id), \(caller.personID),
                case when \(done) then school.moment() end)
        on conflict on constraint assignment_pkey do update
           set done_at = case when \(done) then coalesce(a.done_at, excluded.done_at) end
        """
    }
}
