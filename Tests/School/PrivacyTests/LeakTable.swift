/// What is removed, one condition at a time.
enum LeakTable {
    private static let teachersRead =
        "teachers read the handouts of their classes, drafts their own"
    private static let organization = "organization_id = (select my_organization())"

    /// In what a viewer sees: found by looking again at schools that lived before.
    static let ofSight: [Leak] =
        handouts + partsOfHandouts + activities + grants + tools + [
            .function(
                "my_taught_class_ids", without: "is_seated(s, coalesce(c.archived_at, moment()))",
                but: "s.joined_at <= coalesce(c.archived_at, moment())"),
            .function(
                "my_taught_class_ids", without: "is_seated(s, coalesce(c.archived_at, moment()))",
                but: "is_open_seat(s, coalesce(c.archived_at, moment()))"),
            .function("my_class_ids", without: "is_seated(s)", but: "is_open_seat(s)"),
            .policy(
                "teachers keep what they have looked at", on: "review",
                without: "teacher_id = (select my_person())"),
            .policy(
                "students read the comments on their work", on: "comment",
                without: "person_id = (select my_person())"),
            .policy(
                "students read the comments on their work", on: "comment", without: "exists (",
                but: "true or exists ("),
            .policy(
                "teachers read the comments at their handouts", on: "comment", without: "exists (",
                but: "true or exists ("),
            .policy(
                "readers of comments keep how far they have read", on: "comment_seen",
                without: "reader_id = (select my_person())"),
            .policy(
                "students read the marks that they were given", on: "mark",
                without: "person_id = (select my_person())"),
            .policy(
                "students read the marks that they were given", on: "mark", without: "exists (",
                but: "true or exists ("),
            .policy(
                "teachers read the marks at their handouts", on: "mark", without: "exists (",
                but: "true or exists ("),
            .policy(
                "exporters read the marks at published handouts", on: "mark", without: "exists (",
                but: "true or exists ("),
            .policy(
                "teachers keep the marks that they have not given yet", on: "mark_draft",
                without: "author_id = (select my_person())"),
            .policy(
                "people read the native contexts they own", on: "context",
                without: "person_id = (select my_person())"),
            .policy(
                "a handout shows the native contexts that it assigns", on: "context",
                without: "exists (", but: "true or exists ("),
            .function("my_class_ids", without: "is_seated(s)", but: "s.joined_at <= moment()"),
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
            "students read what is given to them", on: "handout", without: "publish_at <= moment()"),
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
        .policy(
            "exporters read what was published", on: "handout", without: "publish_at <= moment()"),
        .policy("exporters read what was published", on: "handout", without: "deleted_at is null"),
        .policy(
            "exporters read what was published", on: "handout",
            without: "environment = 'production'"),
    ]

    private static let systemsRead = "roster readers read handouts whose results they were granted"

    /// Of the results of classes, to other systems.
    private static let grants: [Leak] = [
        .policy(systemsRead, on: "handout", without: "publish_at <= moment()"),
        .policy(systemsRead, on: "handout", without: "deleted_at is null"),
        .policy(systemsRead, on: "handout", without: "environment = 'production'"),
        .policy(
            systemsRead, on: "handout",
            without: "class_id = any ((select my_gradebook_class_ids(true))::uuid[])"),
        .function(
            "my_gradebook_class_ids", without: "(g.reads_results or not p_results)", but: "true"),
        .function(
            "my_gradebook_class_ids",
            without: "c.class_id in (select g.class_id from unnest(granted) as g)", but: "true"),
        .function(
            "my_gradebook_class_ids", without: "and g.service_account_id = my_service_account()",
            but: ""),
    ]

    private static let partsOfHandouts: [Leak] = [
        .policy(
            "teachers and exporters see recipients of handouts they see", on: "handout_recipient",
            without: "exists (", but: "true or exists ("),
        .policy(
            "students see that they are chosen", on: "handout_recipient",
            without: "person_id = (select my_person())"),
        .policy(
            "readers of a handout read its tasks", on: "task", without: "exists (",
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
            "teachers read what attempts at their handouts come to", on: "assignment_figures",
            without: "handout_id in (", but: "true or handout_id in ("),
        .policy(
            "exporters read what attempts at a handout come to", on: "assignment_figures",
            without: "exists (",
            but: "true or exists ("),
        .policy(
            "exporters read what counts for a handout", on: "activity_assignment",
            without: "exists (",
            but: "true or exists ("),
        .policy(
            "teachers read what counts for their handouts", on: "activity_assignment",
            without: "and is_shown", but: ""),
        .policy(
            "exporters read what counts for a handout", on: "activity_assignment",
            without: "and is_shown", but: ""),
        .policy(
            "students read what counts for them", on: "activity_assignment",
            without: "and is_shown", but: ""),
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

}
