extension WriterRules {
    /// The statements that write people, classes, roles and seats, by file, and what each is for.
    ///
    /// Those outside `writing.sql` and `seats.sql` set what no column of a client is about, or write a whole plan of
    /// an import in one statement.
    static let allowed: [String: [String: String]] = [
        "SQL/functions/directory/writing.sql": [
            "insert into %I (organization_id, %I, %s)": "people and classes, by whichever columns",
            "update %I as t set %s": "people and classes, by whichever columns",
            "update person set deactivated_at = p_at": "whether people can sign in",
            "update person set first_sign_in_at = moment()": "that somebody signed in",
            "insert into person_role (organization_id, person_id, location_id, role)": "roles",
        ],
        "SQL/functions/directory/seats.sql": [
            "update seat as t set joined_at = d.joins_at, left_at = d.leaves_at": "stays that move",
            "insert into seat (organization_id, class_id, person_id, role, joined_at, left_at, recorded":
                "stays with their days",
            "update seat as t set left_at = greatest(moment(), t.joined_at)": "seats that end now",
            "update seat as t set joined_at = moment()": "seats that begin now and not later",
            "insert into seat as t (organization_id, class_id, person_id, role, joined_at)":
                "seats that begin",
        ],
        "SQL/functions/directory/changes.sql": [
            "update person set is_progress_paused = p_is_paused":
                "the switch of a student's progress"
        ],
        "SQL/functions/directory/terms.sql": [
            "update class set archived_at = moment()": "classes are archived with their term",
            "update class set archived_at = null": "classes come back with their term",
        ],
        "SQL/functions/directory/source_ids.sql": [
            "update class as t set updated_at = moment()": "what refers to a class has changed",
            "update person as t set updated_at = moment()": "what refers to a person has changed",
        ],
        "SQL/functions/access/callers.sql": [
            "update %1$I as parent set updated_at = moment()": "what belongs to a row has changed"
        ],
        "SQL/functions/imports/apply.sql": [
            "update class as c set archived_at = t.closed_at": "classes put into a closed term",
            "update class as c set archived_at = p_moment": "classes that no archive has any more",
            "update seat as s set left_at = least(s.left_at, greatest(s.joined_at, case when e.is_of_cl":
                "seats that no archive has any more",
            "update seat as s set source_id = p.source_id":
                "seats of which an archive knows the id",
            "insert into seat (organization_id, class_id, person_id, role, joined_at, recorded_at, sour":
                "seats of a whole plan",
            "insert into person_role (organization_id, person_id, location_id, role, origin)":
                "roles of a whole plan",
        ],
        "SQL/functions/imports/undo.sql": [
            "update seat as t set left_at = (u.before ->> ''left_at'')::timestamptz, source_id = u.befo":
                "seats as they were before an import",
            "insert into person_role (organization_id, person_id, location_id, role, origin)":
                "roles as they were before an import",
            "update %1$I as t set %2$s": "rows as they were, by the columns that imports set",
        ],
        "SQL/functions/oneroster/gradebook_removal.sql": [
            "update %2$I set deleted_at = moment(), more = null": "tables of the gradebook"
        ],
        "SQL/functions/operation/organization_archive.sql": [
            "insert into school.%1$I (%2$s)": "a whole organization, by the columns of its archive"
        ],
        "SQL/functions/records/erasure.sql": [
            "update school.%I as t set %s": "what is left of the erased, by personal_data()"
        ],
        "SQL/functions/privileges/made_classes.sql": [
            "insert into seat (organization_id, class_id, person_id, role, seated_by)":
                "a teacher's own seat, which nobody else gave"
        ],
        "Sources/Ground/School/Resources/Resource+statements.swift": [
            "insert into school.\\(fragment: table) (organization_id, \\(fragment: keyColumn), \\(fragment":
                "a row of a resource, by its columns",
            "update school.\\(fragment: table) set \\(fragment: (own + more).joined(by: \", \"))":
                "a row of a resource, by its columns",
            "update school.\\(fragment: table) as t set \\(fragment: assignments.joined(by: \", \"))":
                "a batch of a resource, by its columns",
            "insert into school.\\(fragment: table) (organization_id, \\(fragment: table)_id, \\(fragment:":
                "a batch of a resource, by its columns",
        ],
        "Sources/Wires/SCIM/UserStatements.swift": [
            "update school.person set deactivated_at = coalesce(deactivated_at, school.moment()), withd":
                "whom the identity provider removed",
            "update school.person set withdrawn_at = null": "whom the identity provider has again",
        ],
        "Sources/Wires/SCIM/GroupStatements.swift": [
            "update school.class set archived_at = school.moment()":
                "a class that is removed but needed"
        ],
        "Sources/Features/Demonstration/DemonstrationStatements.swift": [
            "update school.seat set joined_at = joined_at - interval '40 days'":
                "the demonstration has a past",
            "update school.seat set recorded_at = null": "the demonstration has a past",
        ],
    ]
}
