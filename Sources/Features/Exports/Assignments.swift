import Postgres

extension DataSet {
    /// Every task for every student who has or had it, opened or not.
    static let assignments = DataSet(
        name: "assignments",
        meaning: "A task of a handout for a student who has or had it to do.",
        columns: [
            .key("organization_id", .uuid, "The organization."),
            .required("class_id", .uuid, "The class of the handout."),
            .optional("class_source_id", .text, "The class in the school's information system."),
            .required("handout_id", .uuid, "The handout."),
            .key("task_id", .uuid, "The task."),
            .key("person_id", .uuid, "The student."),
            .optional("person_source_id", .text, "The student in the information system."),
            .required("given_name", .text, "The student's given name."),
            .required("family_name", .text, "The student's family name."),
            .optional(
                "open_from", .timestamp,
                "From when the student has it to do; null: it was taken back.", unit: "UTC"),
            .optional(
                "open_until", .timestamp,
                "When it was locked or completed, or the student left the class; null: open.",
                unit: "UTC"),
            .optional("due_at", .timestamp, "When it is due; null: at no time.", unit: "UTC"),
            .optional(
                "opened_at", .timestamp,
                "When the student opened it or began to work on it; null: not yet.", unit: "UTC"),
            .optional(
                "done_at", .timestamp, "When it was marked done; null: not done.", unit: "UTC"),
            .optional(
                "is_late", .boolean,
                "Whether it was done after it was due; false without a due time, and where the student joined later; null: not done."
            ),
            .optional(
                "returned_at", .timestamp, "When the teacher gave the work back; null: never.",
                unit: "UTC"),
            .optional("return_note", .text, "What the teacher wrote to the student then."),
            .optional(
                "is_to_try_again", .boolean,
                "Whether the student was asked to do it once more; null: not given back."),
        ],
        removals: [
            Removal("handout", subject: "handout_id"), Removal("task", subject: "task_id"),
            Removal("recipient", subject: "handout_id", person: "person_id"),
            Removal("person", subject: "person_id"),
        ]
    ) { changes in
        """
        select s.organization_id, s.class_id, c.source_id as class_source_id, s.handout_id, s.task_id,
               s.person_id, p.source_id as person_source_id, p.given_name, p.family_name,
               school.rfc3339(s.open_from) as open_from, school.rfc3339(s.open_until) as open_until,
               school.rfc3339(s.due_at) as due_at, school.rfc3339(s.opened_at) as opened_at,
               school.rfc3339(s.done_at) as done_at, to_json(s.is_late) as is_late,
               school.rfc3339(s.returned_at) as returned_at, s.return_note,
               to_json(s.is_to_try_again) as is_to_try_again
          from (\(fragment: assigned(changes))) as s
          join school.class as c  on c.organization_id = s.organization_id and c.class_id = s.class_id
          join school.person as p on p.organization_id = s.organization_id and p.person_id = s.person_id
         where \(changes.age) is null or s.is_changed
            or age(c.xmin) <= \(changes.age) or age(p.xmin) <= \(changes.age)
         order by s.task_id, s.person_id
        """
    }

    /// All assignments, and whether they changed: those that are or were open, were noted, or were worked on.
    static func assigned(_ changes: Changes) -> Statement {
        """
        select h.organization_id, h.class_id, h.handout_id, h.due_at, t.task_id, k.person_id,
               k.open_from, nullif(k.open_until, 'infinity') as open_until, k.opened_at, k.done_at,
               case when k.done_at is not null
                    then coalesce(k.done_at > h.due_at and j.person_id is null, false) end as is_late,
               coalesce(not j.is_given, false) as is_before_joined,
               k.returned_at, k.return_note, k.is_to_try_again, coalesce(k.is_changed, false) or h.publish_at > \(changes.since)
                   or age(h.xmin) <= \(changes.age) or age(t.xmin) <= \(changes.age) as is_changed
          from (select coalesce(o.task_id, a.task_id) as task_id,
                       coalesce(o.person_id, a.person_id) as person_id, o.open_from, o.open_until,
                       a.opened_at, a.done_at, a.returned_at, a.return_note,
                       case when a.returned_at is not null then a.is_to_try_again end as is_to_try_again,
                       coalesce(o.is_changed, false) or coalesce(a.is_changed, false)
                           or coalesce(o.person_id, a.person_id) in (\(fragment: peopleWithDeletions(changes)))
                              as is_changed
                  from (\(fragment: open(changes))) as o
                  full join (\(fragment: noted(changes))) as a
                    on a.task_id = o.task_id and a.person_id = o.person_id) as k
          join school.task as t    on t.organization_id = \(changes.organizationID)
                                  and t.task_id = k.task_id
          join school.handout as h on h.organization_id = t.organization_id
                                  and h.handout_id = t.handout_id and h.deleted_at is null
          left join school.all_due_before_joining() as j
                 on j.handout_id = h.handout_id and j.person_id = k.person_id
        """
    }

    /// What was noted about assignments or done for them, and whether it changed. Who has worked has opened it.
    private static func noted(_ changes: Changes) -> Statement {
        """
        select task_id, person_id, school.opened_at(a.opened_at, f.begun_at) as opened_at, a.done_at,
               a.returned_at, a.return_note, a.is_to_try_again,
               coalesce(age(a.row_xmin) <= \(changes.age), false)
                   or coalesce(age(f.row_xmin) <= \(changes.age)
                               and (a.opened_at is null or f.begun_at < a.opened_at), false) as is_changed
          from (select g.*, g.xmin as row_xmin from school.assignment as g
                 where g.organization_id = \(changes.organizationID)) as a
          full join (select g.task_id, g.person_id, g.begun_at, g.xmin as row_xmin
                       from school.assignment_figures as g
                      where g.organization_id = \(changes.organizationID)) as f using (task_id, person_id)
        """
    }

    /// Students whose attempts were removed: a task that only an attempt had opened is not opened then.
    private static func peopleWithDeletions(_ changes: Changes) -> Statement {
        """
        select x.person_id from school.deletion as x
         where x.organization_id = \(changes.organizationID) and x.kind = 'activity'
           and age(x.xmin) <= \(changes.age)
        """
    }

    /// Assignments that are or were open: from publication until the handout is locked or completed, or the student
    /// leaves. A second seat in the class extends the time.
    private static func open(_ changes: Changes) -> Statement {
        """
        select w.task_id, w.person_id, min(w.open_from) as open_from, max(w.open_until) as open_until,
               bool_or(w.is_changed) as is_changed
          from (select t.task_id, s.person_id,
                       greatest(h.publish_at, t.created_at, s.joined_at,
                                case when h.recipients = 'chosen' or r.created_at < h.for_class_since
                                     then r.created_at else h.for_class_since end) as open_from,
                       least(h.locked_at, h.completed_at, s.left_at, c.archived_at, 'infinity') as open_until,
                       coalesce(age(s.xmin) <= \(changes.age), false)
                           or coalesce(age(r.xmin) <= \(changes.age), false) as is_changed
                  from school.handout as h
                  join school.task as t  on t.organization_id = h.organization_id
                                        and t.handout_id = h.handout_id
                  join school.class as c on c.organization_id = h.organization_id
                                        and c.class_id = h.class_id
                  join school.seat as s  on s.organization_id = h.organization_id
                                        and s.class_id = h.class_id and s.role = 'student'
                  left join school.handout_recipient as r
                         on r.organization_id = h.organization_id
                        and r.handout_id = h.handout_id and r.person_id = s.person_id
                 where h.organization_id = \(changes.organizationID) and h.deleted_at is null
                   and (h.recipients = 'class' or r.person_id is not null)) as w
         where w.open_from < w.open_until
         group by w.task_id, w.person_id
        """
    }
}
