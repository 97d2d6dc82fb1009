import Postgres
import School

extension FeatureTable {
    /// Other systems with which people sign in, and whose account there is whose.
    static let providers = FeatureTable(
        calls: """
            GET    /v1/sign-in-providers                 x   .   .   .   .   .   .   .   .   .   .
            POST   /v1/sign-in-providers                 x   .   .   .   .   .   .   .   .   .   .
            GET    /v1/sign-in-providers/{id}            x   .   .   .   .   .   .   .   .   .   .
            PATCH  /v1/sign-in-providers/{id}            x   .   .   .   .   .   .   .   .   .   .
            DELETE /v1/sign-in-providers/{id}            x   .   .   .   .   .   .   .   .   .   .
            POST   /v1/sign-in-providers/{id}/check      x   .   .   .   .   .   .   .   .   .   .
            DELETE /v1/people/{id}/sign-in-links         x   x   x   .   .   .   .   .   .   .   .
            GET    /v1/sign-in/offered-providers         anybody
            POST   /v1/sign-in/with-provider/beginning   anybody
            POST   /v1/sign-in/with-provider             anybody
            """,
        population: [
            """
            insert into test.name (name, id)
            select name, encode(substring(sha256(name::bytea) for 16), 'hex')::uuid
              from unnest(array['Hillside accounts', 'Elsewhere accounts']) as name
            """,
            """
            insert into school.sign_in_provider (organization_id, sign_in_provider_id, kind, name, issuer, client_id,
                                                 sealed_secret, key_id, matching, email_domains)
            select test.id(name), test.id(name || ' accounts'), 'other', name || ' accounts', 'https://id.example',
                   'client', sha256('secret'), 'key', 'managedId', '{}'
              from unnest(array['Hillside', 'Elsewhere']) as name
            """,
            """
            insert into school.sign_in_link (organization_id, sign_in_provider_id, subject, person_id)
            select p.organization_id, test.id(case p.person_id when test.id('sam') then 'Hillside accounts'
                                              else 'Elsewhere accounts' end), 'account', p.person_id
              from school.person as p where p.person_id in (test.id('sam'), test.id('omar'))
            """,
        ],
        policies: [
            PolicyRow(
                "sign_in_provider", "select name as label from school.sign_in_provider",
                hillside: ["Hillside accounts"], elsewhere: ["Elsewhere accounts"],
                seenBy: [[.administrator]: .all]),
            PolicyRow(
                "sign_in_link",
                "select test.called(person_id) as label from school.sign_in_link",
                hillside: ["sam"], elsewhere: ["omar"]),
        ],
        rights: [
            WriteRight(
                "sign_in_provider", [.administrator],
                """
                insert update(client_id, email_domains, issuer, key_id, kind, matching, name, sealed_secret, tenant) delete
                """)
        ],
        writes: [
            WriteCase(.administrator, "connects a provider", connect("Hillside"), is: .done),
            WriteCase(
                .administrator, "connects a provider elsewhere", connect("Elsewhere"), is: .refused),
            WriteCase(
                .administrator, "changes a provider", change("Hillside accounts"), is: .done),
            WriteCase(
                .administrator, "changes a provider elsewhere", change("Elsewhere accounts"),
                is: .nothing),
            WriteCase(
                .administrator, "moves a provider elsewhere",
                """
                update school.sign_in_provider set organization_id = test.id('Elsewhere')
                 where sign_in_provider_id = test.id('Hillside accounts')
                """, is: .refused),
            WriteCase(
                .administrator, "reads a provider's secret",
                "select client_secret from school.sign_in_provider", is: .refused),
            WriteCase(
                .administrator, "reads a provider's sealed secret",
                "select sealed_secret from school.sign_in_provider", is: .refused),
            WriteCase(
                .administrator, "stores a provider's secret as it is",
                "update school.sign_in_provider set client_secret = 'plain', sealed_secret = null",
                is: .refused),
            WriteCase(
                .administrator, "takes the secrets that are not sealed",
                "select * from school.unsealed_secrets()", is: .refused),
            WriteCase(
                .administrator, "disconnects a provider elsewhere", remove("Elsewhere accounts"),
                is: .nothing),
            WriteCase(
                .administrator, "disconnects a provider", remove("Hillside accounts"), is: .done),
            WriteCase(
                .administrator, "links an account",
                """
                insert into school.sign_in_link (organization_id, sign_in_provider_id, subject, person_id)
                values (test.id('Hillside'), test.id('Hillside accounts'), 'mine', test.id('tom'))
                """, is: .refused),
            WriteCase(.siteManager, "connects a provider", connect("Hillside"), is: .refused),
            WriteCase(.peopleManager, "connects a provider", connect("Hillside"), is: .refused),
            WriteCase(.provisioner, "connects a provider", connect("Hillside"), is: .refused),
        ])

    private static func connect(_ organization: String) -> Statement {
        """
        insert into school.sign_in_provider (organization_id, sign_in_provider_id, kind, name, issuer, client_id,
                                             sealed_secret, key_id, matching, email_domains)
        values (test.id(\(organization)), gen_random_uuid(), 'google', 'New', 'https://accounts.google.com', 'c',
                sha256('s'), 'key', 'managedId', '{}')
        """
    }

    private static func change(_ name: String) -> Statement {
        """
        update school.sign_in_provider set sealed_secret = sha256('new')
         where sign_in_provider_id = test.id(\(name))
        """
    }

    private static func remove(_ name: String) -> Statement {
        "delete from school.sign_in_provider where sign_in_provider_id = test.id(\(name))"
    }
}
