import Postgres

extension DataSet {
    /// What receivers remove before they take the rows of the other sets.
    static let deletions = DataSet(
        name: "deletions",
        meaning: "Something that an earlier folder may hold and that is gone; apply it first.",
        columns: [
            .key("organization_id", .uuid, "The organization."),
            .key("deletion_id", .uuid, "The deletion."),
            .required(
                "kind", .text,
                "handout, task, recipient (a student no longer chosen), activity or person (erased)."
            ),
            .required("subject_id", .uuid, "What is gone; of a recipient the handout."),
            .optional("person_id", .uuid, "Whose it was, of a recipient or an activity."),
            .required("deleted_at", .timestamp, "When.", unit: "UTC"),
        ],
        removals: []
    ) { changes in
        """
        select x.organization_id, x.deletion_id, x.kind, x.subject_id, x.person_id,
               school.rfc3339(x.deleted_at) as deleted_at
          from school.deletion as x
         where x.organization_id = \(changes.organizationID)
           and (\(changes.age) is null or age(x.xmin) <= \(changes.age))
           and (x.kind <> 'handout' or school.was_exported(x.subject_id))
         order by x.deleted_at, x.deletion_id
        """
    }
}
