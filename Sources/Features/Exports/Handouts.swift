import Postgres

extension DataSet {
    /// Every handout that was published, with its tasks.
    static let handouts = DataSet(
        name: "handouts",
        meaning: "A handout that a teacher published, with its tasks.",
        columns: [
            .key("organization_id", .uuid, "The organization."),
            .key("handout_id", .uuid, "The handout."),
            .required("class_id", .uuid, "The class that it was given to."),
            .optional("class_source_id", .text, "The class in the school's information system."),
            .required("class_name", .text, "What the class is called."),
            .optional("author_id", .uuid, "The teacher who wrote it; null: erased since."),
            .optional("author_source_id", .text, "The teacher in the information system."),
            .required("environment", .text, "production, or development while an app is made."),
            .required("title", .text, "What it is called."),
            .required("recipients", .text, "class: everybody in it; chosen: some students of it."),
            .required("published_at", .timestamp, "From when students see it.", unit: "UTC"),
            .optional("due_at", .timestamp, "When it is due; null: at no time.", unit: "UTC"),
            .optional(
                "locked_at", .timestamp, "From when nothing is recorded; null: open.", unit: "UTC"),
            .optional(
                "completed_at", .timestamp, "When the teacher completed it; null: active.",
                unit: "UTC"),
            .optional(
                "archived_at", .timestamp,
                "When the teacher took it out of the lists; null: it is in them.",
                unit: "UTC"),
            .required(
                "tasks", .json, "Its tasks in their order, with the ids that the other sets use."),
            .required("created_at", .timestamp, "When it was written.", unit: "UTC"),
            .required("updated_at", .timestamp, "When it was changed last.", unit: "UTC"),
        ],
        removals: [Removal("handout", subject: "handout_id")]
    ) { changes in
        """
        select h.organization_id, h.handout_id, h.class_id, c.source_id as class_source_id,
               c.name as class_name, h.author_id, p.source_id as author_source_id, h.environment,
               h.title, h.recipients, school.rfc3339(h.publish_at) as published_at,
               school.rfc3339(h.due_at) as due_at, school.rfc3339(h.locked_at) as locked_at,
               school.rfc3339(h.completed_at) as completed_at,
               school.rfc3339(h.archived_at) as archived_at,
               to_json(array(
                   select json_strip_nulls(json_build_object(
                              'id', t.task_id, 'kind', t.kind, 'title', t.title,
                              'bundleId', t.bundle_id, 'identifierPath', t.identifier_path,
                              'url', t.url, 'minutes', t.minutes))
                     from school.task as t
                    where t.organization_id = h.organization_id and t.handout_id = h.handout_id
                    order by t.position)) as tasks,
               school.rfc3339(h.created_at) as created_at, school.rfc3339(h.updated_at) as updated_at
          from school.handout as h
          join school.class as c  on c.organization_id = h.organization_id and c.class_id = h.class_id
          left join school.person as p
                 on p.organization_id = h.organization_id and p.person_id = h.author_id
         where h.organization_id = \(changes.organizationID) and h.deleted_at is null
           and (\(changes.age) is null or age(h.xmin) <= \(changes.age)
                or h.publish_at > \(changes.since)
                or age(c.xmin) <= \(changes.age) or age(p.xmin) <= \(changes.age))
         order by h.handout_id
        """
    }
}
