import Postgres
import School

extension FeatureTable {
    /// Apps and Books: device managers and their content tokens.
    static let appsAndBooks = FeatureTable(
        calls: """
            GET /mdm/v2/service/config anybody
            GET /mdm/v2/client/config deviceManagers
            POST /mdm/v2/client/config deviceManagers
            GET /mdm/v2/assets deviceManagers
            GET /mdm/v2/assignments deviceManagers
            GET /mdm/v2/users deviceManagers
            POST /mdm/v2/assets/associate deviceManagers
            POST /mdm/v2/assets/disassociate deviceManagers
            POST /mdm/v2/assets/revoke deviceManagers
            GET /mdm/v2/status deviceManagers
            POST /mdm/v2/users/create deviceManagers
            POST /mdm/v2/users/update deviceManagers
            POST /mdm/v2/users/retire deviceManagers
            GET /v1/content-tokens x . . . . . . . . . .
            POST /v1/content-tokens x . . . . . . . . . .
            DELETE /v1/content-tokens/{id} x . . . . . . . . . .
            """,
        population: contentPopulation, policies: contentPolicies,
        rights: [
            WriteRight("licence", [.deviceManager], "insert delete"),
            WriteRight(
                "content_library", [.deviceManager], "update(mdm_id, mdm_metadata, mdm_name)"),
            WriteRight(
                "content_user", [.deviceManager], "insert update(email, person_id, retired_at)"),
            WriteRight("content_event", [.deviceManager], "insert"),
        ],
        writes: contentWrites)

    /// A device manager on either side, with a user and an event.
    private static let contentPopulation: [Statement] = [
        """
        insert into test.name (name, id)
        select name, encode(substring(sha256(name::bytea) for 16), 'hex')::uuid
          from unnest(array['Devices', 'Devices elsewhere', 'event', 'event elsewhere']) as name
        """,
        """
        insert into school.service_account (organization_id, service_account_id, name, role, secret_digest)
        values (test.id('Hillside'), test.id('Devices'), 'Devices', 'deviceManager', sha256('devices')),
               (test.id('Elsewhere'), test.id('Devices elsewhere'), 'Devices elsewhere', 'deviceManager',
                sha256('elsewhere'))
        """,
        """
        insert into school.content_library (organization_id, location_id, country)
        values (test.id('Hillside'), test.id('Main building'), 'DE'),
               (test.id('Elsewhere'), test.id('Elsewhere''s building'), 'JP')
        """,
        """
        insert into school.content_token (organization_id, service_account_id, location_id)
        values (test.id('Hillside'), test.id('Devices'), test.id('Main building')),
               (test.id('Elsewhere'), test.id('Devices elsewhere'), test.id('Elsewhere''s building'))
        """,
        """
        insert into school.content_user (organization_id, location_id, client_user_id, person_id)
        values (test.id('Hillside'), test.id('Main building'), 'c-sam', test.id('sam')),
               (test.id('Hillside'), test.id('Main building'), 'c-ben', test.id('ben')),
               (test.id('Elsewhere'), test.id('Elsewhere''s building'), 'c-omar', test.id('omar'))
        """,
        """
        insert into school.content_event (organization_id, event_id, location_id, kind, requested_count,
                                          completed_count)
        values (test.id('Hillside'), test.id('event'), test.id('Main building'), 'ASSOCIATE', 1, 1),
               (test.id('Elsewhere'), test.id('event elsewhere'), test.id('Elsewhere''s building'),
                'ASSOCIATE', 1, 1)
        """,
    ]

    private static let contentPolicies: [PolicyRow] = [
        PolicyRow(
            "content_library", "select country as label from school.content_library",
            hillside: ["DE"], elsewhere: ["JP"], seenBy: [[.administrator, .deviceManager]: .all]),
        PolicyRow(
            "content_token",
            "select test.called(service_account_id) as label from school.content_token",
            hillside: ["Devices"], elsewhere: ["Devices elsewhere"],
            seenBy: [[.administrator]: .all]),
        PolicyRow(
            "content_user", "select client_user_id as label from school.content_user",
            hillside: ["c-sam", "c-ben"], elsewhere: ["c-omar"],
            seenBy: [[.deviceManager]: .all]),
        PolicyRow(
            "content_event", "select test.called(event_id) as label from school.content_event",
            hillside: ["event"], elsewhere: ["event elsewhere"],
            seenBy: [[.deviceManager]: .all]),
    ]

    private static func assign(_ person: String, at place: String) -> Statement {
        """
        insert into school.licence (organization_id, licence_id, adam_id, location_id, person_id)
        select test.id('Hillside'), school.new_id(), '100', test.id(\(place)), test.id(\(person))
        """
    }

    private static func register(_ person: String) -> Statement {
        """
        insert into school.content_user (organization_id, location_id, client_user_id, person_id)
        select test.id('Hillside'), test.id('Main building'), 'new', test.id(\(person))
        """
    }

    private static let contentWrites: [WriteCase] = [
        WriteCase(
            .deviceManager, "assigns a licence to a user", assign("ben", at: "Main building"),
            is: .done),
        WriteCase(
            .deviceManager, "assigns a licence to somebody whom it did not register",
            assign("sue", at: "Main building"), is: .refused),
        WriteCase(
            .deviceManager, "registers somebody at its location",
            register("sue"), is: .done),
        WriteCase(
            .deviceManager, "retires a user",
            "update school.content_user set retired_at = now() where client_user_id = 'c-sam'",
            is: .done),
        WriteCase(
            .deviceManager, "assigns a licence of another location",
            assign("ben", at: "Elsewhere's building"), is: .refused),
        WriteCase(
            .deviceManager, "takes the licence of a device back",
            "delete from school.licence where serial_number = 'TABLET-1'", is: .done),
        WriteCase(
            .deviceManager, "takes a book back",
            "delete from school.licence where licence_id = test.id('book of sam')", is: .nothing),
        WriteCase(
            .deviceManager, "buys seats", "update school.pool set total_count = 9", is: .refused),
        WriteCase(
            .deviceManager, "reads people", "select given_name from school.person", is: .refused),
        WriteCase(
            .deviceManager, "forgets an event",
            "delete from school.content_event where event_id = test.id('event')", is: .refused),
        WriteCase(
            .deviceManager, "retires a user elsewhere",
            "update school.content_user set retired_at = now() where client_user_id = 'c-omar'",
            is: .nothing),
        WriteCase(
            .deviceManager, "makes a token for itself",
            """
            insert into school.content_token (organization_id, service_account_id, location_id)
            values (test.id('Hillside'), test.id('Devices'), test.id('Main building'))
            """, is: .refused),
        WriteCase(
            .contentManager, "makes a content token",
            """
            select school.make_content_token(gen_random_uuid(), 'New', test.id('Main building'), 'DE',
                                             sha256('a'), sha256('b'), now() + interval '1 day')
            """, is: .refused),
        WriteCase(
            .administrator, "reads the users of a device manager",
            "select client_user_id from school.content_user", is: .refused),
    ]
}
