import Postgres
import School

extension FeatureTable {
    /// The source from which a roster is pulled every night.
    static let rosterSource = FeatureTable(
        calls: """
            GET    /v1/roster-source                     x   .   .   .   .   .   .   .   .   .   .
            PUT    /v1/roster-source                     x   .   .   .   .   .   .   .   .   .   .
            DELETE /v1/roster-source                     x   .   .   .   .   .   .   .   .   .   .
            POST   /v1/roster-source/pull                x   .   .   .   .   .   .   .   .   .   .
            """,
        population: [
            """
            insert into school.roster_source (organization_id, url, token_url, client_id, sealed_secret, key_id)
            select test.id(o), 'https://sis.example/v1p2', 'https://sis.example/oauth/token', o,
                   decode(repeat('00', 40), 'hex'), 'key'
              from unnest(array['Hillside', 'Elsewhere']) as o
            """
        ],
        policies: [
            PolicyRow(
                "roster_source", "select client_id as label from school.roster_source",
                hillside: ["Hillside"], elsewhere: ["Elsewhere"],
                seenBy: [[.administrator]: .all])
        ],
        rights: [
            WriteRight(
                "roster_source", [.administrator],
                "insert update(client_id, is_enabled, key_id, pull_time, sealed_secret, token_url, url) delete"
            )
        ],
        writes: [
            WriteCase(.administrator, "sets a source", set("Hillside"), is: .done),
            WriteCase(.administrator, "sets a source elsewhere", set("Elsewhere"), is: .refused),
            WriteCase(.administrator, "turns pulls off", turnOff("Hillside"), is: .done),
            WriteCase(
                .administrator, "turns pulls off elsewhere", turnOff("Elsewhere"), is: .nothing),
            WriteCase(.administrator, "removes a source", remove("Hillside"), is: .done),
            WriteCase(
                .administrator, "removes a source elsewhere", remove("Elsewhere"), is: .nothing),
            WriteCase(
                .administrator, "reads a sealed secret",
                "select sealed_secret from school.roster_source", is: .refused),
            WriteCase(
                .administrator, "says that nothing failed",
                "update school.roster_source set failing_since = null", is: .refused),
            WriteCase(
                .administrator, "claims a pull", "select * from school.claim_roster_pull('key', 1)",
                is: .refused),
            WriteCase(.provisioner, "sets a source", set("Hillside"), is: .refused),
            WriteCase(.peopleManager, "turns pulls off", turnOff("Hillside"), is: .refused),
            WriteCase(.siteManager, "orders a pull", order, is: .refused),
            WriteCase(
                .provisioner, "ends a pull",
                "select school.finish_roster_pull(test.id('Hillside'), gen_random_uuid(), gen_random_uuid())",
                is: .refused),
        ])

    private static let order: Statement = "select school.order_roster_pull()"

    private static func set(_ organization: String) -> Statement {
        """
        insert into school.roster_source (organization_id, url, token_url, client_id, sealed_secret, key_id)
        values (test.id(\(organization)), 'https://new.example/v1p2', 'https://new.example/', 'new',
                decode(repeat('00', 40), 'hex'), 'key')
            on conflict (organization_id) do update set url = excluded.url
        """
    }

    private static func turnOff(_ organization: String) -> Statement {
        """
        update school.roster_source set is_enabled = false where organization_id = test.id(\(organization))
        """
    }

    private static func remove(_ organization: String) -> Statement {
        "delete from school.roster_source where organization_id = test.id(\(organization))"
    }
}
