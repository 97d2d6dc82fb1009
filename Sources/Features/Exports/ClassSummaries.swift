import Postgres

extension DataSet {
    /// The figures of a class on a task, summed as in the reports.
    static let classSummaries = DataSet(
        name: "class_summaries",
        meaning: "What a class did on a task of a handout.",
        columns: [
            .key("organization_id", .uuid, "The organization."),
            .required("class_id", .uuid, "The class."),
            .optional("class_source_id", .text, "The class in the school's information system."),
            .required("handout_id", .uuid, "The handout."),
            .key("task_id", .uuid, "The task."),
            .required(
                "students", .integer,
                "How many have or had it to do: not those who joined when it was due already.",
                unit: "students"),
            .required("students_opened", .integer, "How many of them opened it.", unit: "students"),
            .required(
                "students_done", .integer, "How many of them have it done.", unit: "students"),
            .required(
                "students_with_data", .integer, "How many have an attempt.", unit: "students"),
            .required("attempts", .integer, "How many attempts there are.", unit: "attempts"),
            .optional(
                "average_progress", .number, "Over all attempts that report progress.",
                unit: "share 0 to 1"),
            .optional(
                "average_duration_seconds", .number,
                "Over students, each with all attempts together.", unit: "s"),
            .optional(
                "primary_kind", .text,
                "Of the latest attempts: score, quantity or binary; null: none, or several."),
            .required(
                "has_mixed_primary_kinds", .boolean,
                "Latest attempts differ in kind of their primary item: no average."),
            .optional(
                "average_score_share", .number, "Score by its maximum, over the latest attempts.",
                unit: "share 0 to 1"),
            .optional("average_quantity", .number, "Over the latest attempts."),
            .optional("positive_share", .number, "Of the latest attempts.", unit: "share 0 to 1"),
        ],
        removals: [Removal("handout", subject: "handout_id"), Removal("task", subject: "task_id")]
    ) { changes in
        """
        select t.organization_id, t.class_id, c.source_id as class_source_id, t.handout_id, t.task_id,
               coalesce(s.students, 0) as students, coalesce(s.opened, 0) as students_opened,
               coalesce(s.done, 0) as students_done,
               coalesce(d.students, 0) as students_with_data, coalesce(d.attempts, 0) as attempts,
               d.progress as average_progress, d.duration as average_duration_seconds,
               d.kind as primary_kind, to_json(coalesce(d.is_mixed, false)) as has_mixed_primary_kinds,
               d.score_share as average_score_share, d.quantity as average_quantity, d.positive_share
          from school.task as t
          join school.handout as h on h.organization_id = t.organization_id
                                  and h.handout_id = t.handout_id and h.deleted_at is null
          join school.class as c   on c.organization_id = t.organization_id and c.class_id = t.class_id
          left join (select k.task_id, count(*) filter (where not k.is_before_joined) as students,
                            count(k.opened_at) filter (where not k.is_before_joined) as opened,
                            count(k.done_at) filter (where not k.is_before_joined) as done, bool_or(k.is_changed) as is_changed
                       from (\(fragment: assigned(changes))) as k
                      group by k.task_id) as s on s.task_id = t.task_id
          left join (\(fragment: figures(changes))) as d on d.task_id = t.task_id
         where t.organization_id = \(changes.organizationID)
           and (\(changes.age) is null or s.is_changed or d.is_changed
                or age(h.xmin) <= \(changes.age) or age(t.xmin) <= \(changes.age)
                or age(c.xmin) <= \(changes.age) or h.publish_at > \(changes.since)
                or t.class_id in (\(fragment: classesWithDeletions(changes))))
         order by t.task_id
        """
    }

    /// The averages that reports show. The tasks are an array, as there.
    private static func figures(_ changes: Changes) -> Statement {
        """
        select v.task_id, v.students_with_data as students, v.attempts, v.progress,
               v.duration_seconds as duration, v.is_mixed, v.primary_kind as kind, v.score as score_share,
               v.quantity, v.positive_share, coalesce(l.is_changed, false) as is_changed
          from school.averages_at(array(select t.task_id from school.task as t
                                         where t.organization_id = \(changes.organizationID))) as v
          left join (select l.task_id, bool_or(age(l.xmin) <= \(changes.age)) as is_changed
                       from school.activity_assignment as l
                      where l.organization_id = \(changes.organizationID)
                      group by l.task_id) as l on l.task_id = v.task_id
        """
    }

    /// Classes that lost figures: nothing of a deleted activity says which tasks it was for.
    private static func classesWithDeletions(_ changes: Changes) -> Statement {
        """
        select s.class_id
          from school.deletion as x
          join school.seat as s on s.organization_id = x.organization_id
                               and (x.kind = 'person' or s.person_id = x.person_id)
         where x.organization_id = \(changes.organizationID) and x.kind in ('activity', 'person')
           and age(x.xmin) <= \(changes.age)
        """
    }
}
