import Postgres
import School

extension FeatureTable {
    /// People and classes for identity providers.
    static let scim = FeatureTable(
        calls: scimCalls,
        population: population,
        policies: [
            // The token here has no account, so that its words are those of the operator's tokens.
            PolicyRow(
                "external_id", "select value as label from school.external_id",
                hillside: ["sam of tokens", "Biology of tokens", "sam of Sync", "Biology of Sync"],
                elsewhere: ["omar of tokens"],
                seenBy: [[.directoryWriter]: .only(["sam of tokens", "Biology of tokens"])])
        ],
        rights: [
            WriteRight(
                "person", [.directoryWriter],
                """
                insert update(deactivated_at, email, family_name, given_name, grade, managed_id, middle_name, \
                person_number, withdrawn_at)
                """),
            WriteRight("person_role", [.directoryWriter], "insert delete"),
            WriteRight("location", [.directoryWriter], "update(name)"),
            WriteRight(
                "class", [.directoryWriter],
                "insert update(archived_at, location_id, name)"),
            WriteRight("seat", [.directoryWriter], "insert update(joined_at, left_at)"),
            WriteRight("external_id", [.directoryWriter], "insert update(value) delete"),
        ],
        writes: [
            WriteCase(
                .directoryWriter, "renames a student",
                "update school.person set given_name = 'Samuel' where person_id = test.id('sam')",
                is: .done),
            WriteCase(
                .directoryWriter, "writes a source id",
                "update school.person set source_id = 'u5' where person_id = test.id('sam')",
                is: .refused),
            WriteCase(
                .directoryWriter, "changes an external id of its own",
                "update school.external_id set value = 'new' where value = 'sam of tokens'",
                is: .done),
            WriteCase(
                .directoryWriter, "changes an external id of an account",
                "update school.external_id set value = 'new' where value = 'sam of Sync'",
                is: .nothing),
            WriteCase(
                .directoryWriter, "removes the external ids of an account",
                "delete from school.external_id where service_account_id is not null", is: .nothing),
            WriteCase(
                .directoryWriter, "makes an external id of an account",
                """
                insert into school.external_id (organization_id, service_account_id, person_id, value)
                select e.organization_id, test.id('Hillside'), test.id('tom'), 'stolen'
                  from school.external_id as e where e.value = 'sam of tokens'
                """, is: .refused),
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

    private static let population: [Statement] = [
        """
        insert into school.external_id (organization_id, service_account_id, person_id, class_id, value)
        select test.id(e.place), a.service_account_id, test.id(e.person), test.id(e.class),
               coalesce(e.person, e.class) || ' of ' || coalesce(e.account, 'tokens')
          from (values ('Hillside', null, 'sam', null), ('Hillside', null, null, 'Biology'),
                       ('Hillside', 'Sync', 'sam', null), ('Hillside', 'Sync', null, 'Biology'),
                       ('Elsewhere', null, 'omar', null)) as e (place, account, person, class)
          left join school.service_account as a on a.name = e.account
        """
    ]

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
