import Postgres
import School

extension FeatureTable {
    /// People and classes for identity providers.
    static let scim = FeatureTable(
        calls: scimCalls,
        population: [], policies: [],
        rights: [
            WriteRight(
                "person", [.directoryWriter],
                """
                insert update(deactivated_at, email, family_name, given_name, grade, managed_id, middle_name, \
                person_number, source_id, withdrawn_at)
                """),
            WriteRight("person_role", [.directoryWriter], "insert delete"),
            WriteRight("location", [.directoryWriter], "update(name, source_id)"),
            WriteRight(
                "class", [.directoryWriter],
                "insert update(archived_at, location_id, name, source_id)"),
            WriteRight("seat", [.directoryWriter], "insert update(joined_at, left_at)"),
        ],
        writes: [
            WriteCase(
                .directoryWriter, "renames a student",
                "update school.person set given_name = 'Samuel' where person_id = test.id('sam')",
                is: .done),
            WriteCase(
                .directoryWriter, "renames an administrator",
                "update school.person set given_name = 'Adam' where person_id = test.id('ada')",
                is: .refused),
            WriteCase(
                .directoryWriter, "renames a student elsewhere",
                "update school.person set given_name = 'Nobody' where person_id = test.id('omar')",
                is: .nothing),
            WriteCase(
                .directoryWriter, "gives the role of administrator",
                """
                insert into school.person_role (organization_id, person_id, location_id, role)
                select organization_id, test.id('tom'), location_id, 'administrator' from school.location
                """, is: .refused),
            WriteCase(
                .directoryWriter, "takes the role of administrator",
                "delete from school.person_role where role = 'administrator'", is: .nothing),
            WriteCase(
                .directoryWriter, "reads how a person signs in",
                "select password_policy from school.person", is: .refused),
            WriteCase(
                .directoryWriter, "removes a class by a statement", "delete from school.class",
                is: .refused),
            WriteCase(
                .directoryWriter, "asks for closed terms",
                "select * from school.closed_terms(array[test.id('year')])", is: .refused),
            WriteCase(
                .directoryWriter, "closes a term", "select school.close_term(test.id('year'))",
                is: .refused),
            WriteCase(
                .directoryWriter, "sets a temporary password",
                "update school.credential set is_temporary = true", is: .refused),
            WriteCase(
                .provisioner, "withdraws a person",
                "update school.person set withdrawn_at = now() where person_id = test.id('sam')",
                is: .refused),
        ])

    private static let scimCalls = """
        GET /scim/v2/ServiceProviderConfig directoryWriters
        GET /scim/v2/ResourceTypes directoryWriters
        GET /scim/v2/ResourceTypes/{id} directoryWriters
        GET /scim/v2/Schemas directoryWriters
        GET /scim/v2/Schemas/{id} directoryWriters
        POST /scim/v2/.search directoryWriters
        POST /scim/v2/Bulk directoryWriters
        GET /scim/v2/Users directoryWriters
        POST /scim/v2/Users/.search directoryWriters
        GET /scim/v2/Users/{id} directoryWriters
        POST /scim/v2/Users directoryWriters
        PUT /scim/v2/Users/{id} directoryWriters
        PATCH /scim/v2/Users/{id} directoryWriters
        DELETE /scim/v2/Users/{id} directoryWriters
        GET /scim/v2/Groups directoryWriters
        POST /scim/v2/Groups/.search directoryWriters
        GET /scim/v2/Groups/{id} directoryWriters
        POST /scim/v2/Groups directoryWriters
        PUT /scim/v2/Groups/{id} directoryWriters
        PATCH /scim/v2/Groups/{id} directoryWriters
        DELETE /scim/v2/Groups/{id} directoryWriters
        """
}
