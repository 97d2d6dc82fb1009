/// What is taken away, one condition at a time.
enum LeakTable {
    private static let teachersRead =
        "teachers read the handouts of their classes, drafts their own"
    private static let organization = "organization_id = (select my_organization())"

    /// Of what somebody sees: found by looking again at schools that lived before.
    static let ofSight: [Leak] =
        handouts + partsOfHandouts + activities + [
            .function(
                "my_taught_class_ids", without: "s.left_at > coalesce",
                but: "true or s.left_at > coalesce"),
            .function("my_class_ids", without: "(left_at is null or left_at > now())", but: "true"),
            .function("my_chosen_handout_ids", without: "and person_id = my_person()", but: ""),
        ]

    private static let handouts: [Leak] = [
        .policy(
            teachersRead, on: "handout",
            without: "class_id = any ((select my_taught_class_ids())::uuid[])"),
        .policy(
            teachersRead, on: "handout", without: "publish_at is not null or",
            but: "true or publish_at is not null or"),
        .policy(teachersRead, on: "handout", without: "deleted_at is null"),
        .policy(teachersRead, on: "handout", without: "environment = (select my_environment())"),
        .policy(
            "students read what is given to them", on: "handout", without: "publish_at <= now()"),
        .policy(
            "students read what is given to them", on: "handout", without: "deleted_at is null"),
        .policy(
            "students read what is given to them", on: "handout",
            without: "class_id = any ((select my_class_ids())::uuid[])"),
        .policy(
            "students read what is given to them", on: "handout", without: "recipients = 'class'"),
        .policy(
            "students read what is given to them", on: "handout",
            without: "environment = (select my_environment())"),
        .policy("exporters read what was published", on: "handout", without: organization),
        .policy("exporters read what was published", on: "handout", without: "publish_at <= now()"),
        .policy("exporters read what was published", on: "handout", without: "deleted_at is null"),
        .policy(
            "exporters read what was published", on: "handout",
            without: "environment = 'production'"),
    ]

    private static let partsOfHandouts: [Leak] = [
        .policy(
            "whoever reads a handout as its teacher reads its recipients", on: "handout_recipient",
            without: "exists (", but: "true or exists ("),
        .policy(
            "students see that they are chosen", on: "handout_recipient",
            without: "person_id = (select my_person())"),
        .policy(
            "whoever reads a handout reads its tasks", on: "task", without: "exists (",
            but: "true or exists ("),
        .policy(
            "teachers read the assignments of the tasks of their classes", on: "assignment",
            without: "task_id in (", but: "true or task_id in ("),
        .policy(
            "exporters read the assignments of tasks", on: "assignment", without: "exists (",
            but: "true or exists ("),
        .policy(
            "students read their assignments", on: "assignment",
            without: "person_id = (select my_person())"),
    ]

    private static let activities: [Leak] = [
        .policy(
            "teachers read what counts for their handouts", on: "activity_assignment",
            without: "handout_id in (", but: "true or handout_id in ("),
        .policy(
            "exporters read what counts for a handout", on: "activity_assignment",
            without: "exists (",
            but: "true or exists ("),
        .policy(
            "students read their activities", on: "activity",
            without: "person_id = (select my_person())"),
        .policy(
            "students read their activities", on: "activity",
            without: "environment = (select my_environment())"),
        .policy(
            "teachers and exporters read activities through links", on: "activity",
            without: "exists (", but: "true or exists ("),
        .policy(
            "teachers and exporters read items through links", on: "activity_item",
            without: "exists (", but: "true or exists ("),
        .policy(
            "students read their items", on: "activity_item", without: "exists (",
            but: "false and exists ("),
    ]

    /// Of what is stored and changed, and of what few schools show: found by letting schools live with the leak.
    static let ofWriting: [Leak] = [
        .function("my_taught_class_ids", without: "coalesce(c.archived_at, now())", but: "now()"),
        .function("assigned_tasks", without: "greatest(h.publish_at,", but: "greatest("),
        .function("assigned_tasks", without: "s.joined_at, s.recorded_at,", but: ""),
        .function("assigned_tasks", without: "least(h.locked_at,", but: "least("),
        .function("assigned_tasks", without: "h.completed_at,", but: ""),
        .function("assigned_tasks", without: "h.deleted_at,", but: ""),
        .function("assigned_tasks", without: "s.left_at,", but: ""),
        .function("assigned_tasks", without: "c.archived_at,", but: ""),
        .function("assigned_tasks", without: "x.deleted_at,", but: ""),
        .function(
            "assigned_tasks", without: "tstzrange(l.locked_at, l.unlocked_at)",
            but: "'empty'::tstzrange"),
        .function("assigned_tasks", without: "and h.environment = p_environment", but: ""),
        .function("assigned_tasks", without: "and t.bundle_id = p_bundle_id", but: ""),
        .function("assigned_tasks", without: "and s.role = 'student'", but: ""),
        .function(
            "assigned_tasks", without: "(h.recipients = 'class' or r.person_id is not null)",
            but: "true"),
        .function("store_activities", without: "and not p.is_progress_paused", but: ""),
        .function("store_activities", without: "and o.is_student_progress_enabled", but: ""),
        .function("store_activities", without: "interval '30 days'", but: "interval '300 days'"),
        .function("store_activities", without: "t.opens_at <= m.ends_at and", but: ""),
        .function("store_activities", without: "t.closes_at > m.begins_at and", but: ""),
        .function("store_activities", without: "k.arrived_at, arrived)", but: "arrived)"),
        .function(
            "set_progress_pause", without: "perform delete_activities",
            but: "-- perform delete_activities"),
        .function(
            "set_student_progress", without: "perform delete_activities", but: "null; -- "),
        .function("complete_assignments", without: "and o.closes_at > now()", but: ""),
        .function("delete_handout", without: "class_id = any (my_taught_class_ids())", but: "true"),
    ]
}
