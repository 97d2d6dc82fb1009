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
            .required("students", .integer, "How many have or had it to do.", unit: "students"),
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
               case when not d.is_mixed then d.kind end as primary_kind,
               to_json(coalesce(d.is_mixed, false)) as has_mixed_primary_kinds,
               case when not d.is_mixed then d.score_share end as average_score_share,
               case when not d.is_mixed then d.quantity end as average_quantity,
               case when not d.is_mixed then d.positive_share end as positive_share
          from school.task as t
          join school.handout as h on h.organization_id = t.organization_id
                                  and h.handout_id = t.handout_id and h.deleted_at is null
          join school.class as c   on c.organization_id = t.organization_id and c.class_id = t.class_id
          left join (select k.task_id, count(*) as students, count(k.opened_at) as opened,
                            count(k.done_at) as done, bool_or(k.is_changed) as is_changed
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

    /// Averages of exact numerics: a sum of floats would depend on the order of its terms. They are rounded before
    /// they become floats again, so that no value is smaller than a float can represent.
    private static func figures(_ changes: Changes) -> Statement {
        """
        select b.task_id, count(*) as students, sum(b.attempts)::bigint as attempts,
               school.shown(sum(b.progress) / nullif(sum(b.with_progress), 0)) as progress,
               school.shown(avg(b.duration)) as duration,
               coalesce(min(b.kind) <> max(b.kind), false) as is_mixed,
               min(b.kind) as kind, school.shown(avg(b.score_share)) as score_share,
               school.shown(avg(b.quantity)) as quantity,
               school.shown(avg(b.positive)) as positive_share, bool_or(b.is_changed) as is_changed
          from (select a.task_id, a.person_id, count(*) as attempts,
                       sum(a.progress) as progress, count(a.progress) as with_progress,
                       least(sum(a.duration), min(a.duration_max)) as duration,
                       min(a.kind)        filter (where a.is_latest) as kind,
                       min(a.score_share) filter (where a.is_latest) as score_share,
                       min(a.quantity)    filter (where a.is_latest) as quantity,
                       min(a.positive)    filter (where a.is_latest) as positive,
                       bool_or(a.is_changed) as is_changed
                  from (\(fragment: attemptFigures(changes))) as a
                 group by a.task_id, a.person_id) as b
         group by b.task_id
        """
    }

    private static func attemptFigures(_ changes: Changes) -> Statement {
        """
        select l.task_id, l.person_id, l.progress::numeric as progress,
               least(l.duration_seconds, t.minutes * 60)::numeric as duration, t.minutes * 60 as duration_max,
               l.kind, l.share::text::numeric as score_share, school.bounded(l.quantity)::numeric as quantity,
               l.positive::int::numeric as positive,
               lead(l.activity_id) over (partition by l.task_id, l.person_id
                                         order by l.started_at, l.activity_id) is null as is_latest,
               coalesce(age(l.xmin) <= \(changes.age), false) as is_changed
          from school.activity_assignment as l
          join school.task as t on t.organization_id = l.organization_id and t.task_id = l.task_id
         where l.organization_id = \(changes.organizationID)
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
