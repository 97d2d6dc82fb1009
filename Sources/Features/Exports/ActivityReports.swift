import Postgres

extension DataSet {
    /// Every attempt of a student that counts for a task, and nothing that was not assigned.
    static let activityReports = DataSet(
        name: "activity_reports",
        meaning: "An attempt of a student at a context, as it counts for a task of a handout.",
        columns: [
            .key("organization_id", .uuid, "The organization."),
            .required("class_id", .uuid, "The class of the handout."),
            .optional("class_source_id", .text, "The class in the school's information system."),
            .required("handout_id", .uuid, "The handout that the attempt counts for."),
            .key("task_id", .uuid, "The task that the attempt counts for."),
            .key("person_id", .uuid, "The student."),
            .optional("person_source_id", .text, "The student in the information system."),
            .key("activity_id", .uuid, "The attempt; an app chooses it, unique per student."),
            .required("environment", .text, "production, or development while an app is made."),
            .required("bundle_id", .text, "The app."),
            .required("identifier_path", .json, "The context below the app, as an array of texts."),
            .required("started_at", .timestamp, "When the student began.", unit: "UTC"),
            .optional(
                "stopped_at", .timestamp, "When the student stopped; null: not reported.",
                unit: "UTC"),
            .required(
                "duration_seconds", .number,
                "How long the student was active; at most the minutes of a timed task.", unit: "s"),
            .optional(
                "progress", .number, "How much of the context is covered; null: not reported.",
                unit: "share 0 to 1"),
            .required("attempt", .integer, "Which attempt at the task it is, from 1."),
            .required("is_final", .boolean, "Whether a later attempt has made it final."),
            .optional("primary_identifier", .text, "The app's name for the primary item."),
            .optional("primary_title", .text, "What people read about the primary item."),
            .optional(
                "primary_kind", .text, "score, quantity or binary; null: there is no primary item."),
            .optional("primary_score", .number, "Of a score: what was reached.", unit: "points"),
            .optional(
                "primary_max_score", .number, "Of a score: what could be reached.", unit: "points"),
            .optional("primary_quantity", .number, "Of a quantity: how many."),
            .optional("primary_value", .boolean, "Of a binary item: whether it is positive."),
            .optional(
                "primary_value_type", .text,
                "Of a binary item: trueFalse, passFail, yesNo or correctIncorrect."),
            .required("items", .json, "Every activity item, in the order of the app."),
            .required("modified_at", .timestamp, "When the app changed it last.", unit: "UTC"),
            .required("arrived_at", .timestamp, "When it was first stored.", unit: "UTC"),
        ],
        removals: [
            Removal("handout", subject: "handout_id"), Removal("task", subject: "task_id"),
            Removal("activity", subject: "activity_id", person: "person_id"),
            Removal("person", subject: "person_id"),
        ]
    ) { changes in
        """
        \(optional: definingPairs(changes))
        select r.organization_id, r.class_id, c.source_id as class_source_id, r.handout_id, r.task_id,
               r.person_id, p.source_id as person_source_id, r.activity_id, r.environment, r.bundle_id,
               to_json(r.identifier_path) as identifier_path,
               school.rfc3339(r.started_at) as started_at, school.rfc3339(r.stopped_at) as stopped_at,
               r.duration_seconds, r.progress, r.attempt, to_json(r.is_final) as is_final,
               i.primary_identifier, i.primary_title, i.primary_kind, i.primary_score,
               i.primary_max_score, i.primary_quantity, to_json(i.primary_value) as primary_value,
               i.primary_value_type, coalesce(i.items, '[]') as items,
               school.rfc3339(r.modified_at) as modified_at, school.rfc3339(r.arrived_at) as arrived_at
          from (\(fragment: attempts(changes))) as r
          join school.class as c  on c.organization_id = r.organization_id and c.class_id = r.class_id
          join school.person as p on p.organization_id = r.organization_id and p.person_id = r.person_id
         cross join lateral (\(fragment: items)) as i
         order by r.task_id, r.person_id, r.attempt
        """
    }

    /// All attempts at a task of every student with a changed one: a new attempt makes the one before it final.
    private static func attempts(_ changes: Changes) -> Statement {
        """
        select l.class_id, l.handout_id, l.task_id, l.organization_id, l.person_id, l.activity_id, a.environment,
               a.bundle_id, a.identifier_path, l.started_at, l.stopped_at,
               least(l.duration_seconds, t.minutes * 60) as duration_seconds, l.progress,
               l.modified_at, a.arrived_at, row_number() over attempts as attempt,
               lead(l.activity_id) over attempts is not null as is_final
          from school.activity_assignment as l
          join school.activity as a on a.organization_id = l.organization_id
                                   and a.person_id = l.person_id and a.activity_id = l.activity_id
          join school.task as t     on t.organization_id = l.organization_id and t.task_id = l.task_id
          join school.handout as h  on h.organization_id = l.organization_id
                                   and h.handout_id = l.handout_id and h.deleted_at is null
         where l.organization_id = \(changes.organizationID)
           \(optional: ofChangedPairs(changes))
        window attempts as (partition by l.task_id, l.person_id order by l.started_at, l.activity_id)
        """
    }

    /// Limits the attempts to those of `changed_pair`; `nil` for every attempt. The tasks are an array, which PostgreSQL
    /// looks up in the index: it would not know how few pairs there are, and read every attempt that was ever made.
    private static func ofChangedPairs(_ changes: Changes) -> Statement? {
        guard changes.age != nil else { return nil }
        return """
            and l.task_id = any (array(select distinct k.task_id from changed_pair as k))
                       and (l.task_id, l.person_id) in (select k.task_id, k.person_id from changed_pair as k)
            """
    }

    /// Defines `changed_pair`: tasks and students with a changed attempt; `nil` for every attempt.
    private static func definingPairs(_ changes: Changes) -> Statement? {
        guard changes.age != nil else { return nil }
        return "with changed_pair as materialized (\(fragment: changedPairs(changes)))"
    }

    private static func changedPairs(_ changes: Changes) -> Statement {
        """
        select l.task_id, l.person_id
          from school.activity_assignment as l
          join school.handout as h  on h.organization_id = l.organization_id
                                   and h.handout_id = l.handout_id
          join school.class as c    on c.organization_id = l.organization_id
                                   and c.class_id = l.class_id
          join school.person as p   on p.organization_id = l.organization_id
                                   and p.person_id = l.person_id
         where l.organization_id = \(changes.organizationID)
           and (age(l.xmin) <= \(changes.age)
                or age(c.xmin) <= \(changes.age) or age(p.xmin) <= \(changes.age)
                or h.publish_at > \(changes.since))
        """
    }

    /// The items of attempt `r`. An array of objects never holds a line break, which `json_agg` writes.
    private static let items: Statement = """
        select to_json(array_agg(json_strip_nulls(json_build_object(
                   'identifier', n.identifier, 'title', n.title, 'kind', n.kind, 'isPrimary', n.is_primary,
                   'score', n.score, 'maxScore', n.max_score, 'quantity', n.quantity,
                   'value', n.value, 'valueType', n.value_type))
                   order by n.position, n.identifier)) as items,
               min(n.identifier) filter (where n.is_primary) as primary_identifier,
               min(n.title)      filter (where n.is_primary) as primary_title,
               min(n.kind)       filter (where n.is_primary) as primary_kind,
               min(n.score)      filter (where n.is_primary) as primary_score,
               min(n.max_score)  filter (where n.is_primary) as primary_max_score,
               min(n.quantity)   filter (where n.is_primary) as primary_quantity,
               bool_or(n.value)  filter (where n.is_primary) as primary_value,
               min(n.value_type) filter (where n.is_primary) as primary_value_type
          from school.activity_item as n
         where n.organization_id = r.organization_id and n.person_id = r.person_id
           and n.activity_id = r.activity_id and n.task_id = r.task_id
        """
}
