import Postgres

extension DataSet {
    /// Every mark that a teacher gave, and those that were taken away; no draft.
    static let marks = DataSet(
        name: "marks",
        meaning: "A mark that a teacher gave a student for a handout or one of its tasks.",
        columns: [
            .key("organization_id", .uuid, "The organization."),
            .key("mark_id", .uuid, "The mark, which stays the same when it changes."),
            .required("class_id", .uuid, "The class of the handout."),
            .optional("class_source_id", .text, "The class in the school's information system."),
            .required("handout_id", .uuid, "The handout."),
            .optional("task_id", .uuid, "The task; null: it is about the handout as a whole."),
            .required("person_id", .uuid, "The student."),
            .optional("person_source_id", .text, "The student in the information system."),
            .required("given_name", .text, "The student's given name."),
            .required("family_name", .text, "The student's family name."),
            .optional("points", .number, "How many points; null: it was taken away."),
            .required("maximum_points", .number, "How many there were when it was given."),
            .required("given_at", .timestamp, "When it was given or taken away.", unit: "UTC"),
        ],
        removals: [
            Removal("handout", subject: "handout_id"), Removal("task", subject: "task_id"),
            Removal("person", subject: "person_id"),
        ]
    ) { changes in
        """
        select m.organization_id, m.mark_id, h.class_id, c.source_id as class_source_id, m.handout_id, m.task_id,
               m.person_id, p.source_id as person_source_id, p.given_name, p.family_name,
               m.points::double precision as points, m.maximum_points::double precision as maximum_points,
               school.rfc3339(m.given_at) as given_at
          from school.mark as m
          join school.handout as h on h.organization_id = m.organization_id and h.handout_id = m.handout_id
          join school.class as c   on c.organization_id = h.organization_id and c.class_id = h.class_id
          join school.person as p  on p.organization_id = m.organization_id and p.person_id = m.person_id
         where m.organization_id = \(changes.organizationID) and h.deleted_at is null
           and (\(changes.age) is null or age(m.xmin) <= \(changes.age) or h.publish_at > \(changes.since)
                or age(h.xmin) <= \(changes.age) or age(c.xmin) <= \(changes.age) or age(p.xmin) <= \(changes.age))
         order by m.mark_id
        """
    }
}
