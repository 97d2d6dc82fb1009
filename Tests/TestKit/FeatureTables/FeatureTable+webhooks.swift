import Postgres
import School

extension FeatureTable {
    /// Other systems that are sent changes.
    static let webhooks = FeatureTable(
        calls: """
            GET    /v1/webhooks                          x   .   .   .   .   .   .   .   .   .   .
            POST   /v1/webhooks                          x   .   .   .   .   .   .   .   .   .   .
            GET    /v1/webhooks/{id}                     x   .   .   .   .   .   .   .   .   .   .
            PATCH  /v1/webhooks/{id}                     x   .   .   .   .   .   .   .   .   .   .
            DELETE /v1/webhooks/{id}                     x   .   .   .   .   .   .   .   .   .   .
            POST   /v1/webhooks/{id}/secret              x   .   .   .   .   .   .   .   .   .   .
            POST   /v1/webhooks/{id}/test                x   .   .   .   .   .   .   .   .   .   .
            GET    /v1/webhooks/{id}/deliveries          x   .   .   .   .   .   .   .   .   .   .
            POST   /v1/webhooks/{id}/deliveries/{deliveryId} x .  .   .   .   .   .   .   .   .   .
            """,
        population: [
            """
            insert into test.name (name, id)
            select name, encode(substring(sha256(name::bytea) for 16), 'hex')::uuid
              from unnest(array['webhook of Hillside', 'webhook of Elsewhere', 'delivery of Hillside',
                                'delivery of Elsewhere']) as name
            """,
            """
            insert into school.webhook (organization_id, webhook_id, name, url, kinds, sealed_secret,
                                        key_id)
            select test.id(o), test.id('webhook of ' || o), 'Library', 'https://library.example/', '{class}',
                   sha256('secret'), 'key'
              from unnest(array['Hillside', 'Elsewhere']) as o
            """,
            """
            insert into school.webhook_delivery (organization_id, delivery_id, webhook_id, kind, change_count, body)
            select test.id(o), test.id('delivery of ' || o), test.id('webhook of ' || o), 'test', 0, '{}'
              from unnest(array['Hillside', 'Elsewhere']) as o
            """,
            """
            insert into school.webhook_attempt (organization_id, delivery_id, number, at, status, milliseconds)
            select test.id(o), test.id('delivery of ' || o), 1, now(), 500, 20
              from unnest(array['Hillside', 'Elsewhere']) as o
            """,
        ],
        policies: [
            PolicyRow(
                "webhook", "select test.called(webhook_id) as label from school.webhook",
                hillside: ["webhook of Hillside"], elsewhere: ["webhook of Elsewhere"],
                seenBy: [[.administrator]: .all]),
            PolicyRow(
                "webhook_delivery",
                "select test.called(delivery_id) as label from school.webhook_delivery",
                hillside: ["delivery of Hillside"], elsewhere: ["delivery of Elsewhere"],
                seenBy: [[.administrator]: .all]),
            PolicyRow(
                "webhook_attempt",
                "select test.called(delivery_id) as label from school.webhook_attempt",
                hillside: ["delivery of Hillside"], elsewhere: ["delivery of Elsewhere"],
                seenBy: [[.administrator]: .all]),
        ],
        rights: [
            WriteRight(
                "webhook", [.administrator],
                "insert update(is_enabled, key_id, kinds, name, sealed_secret, url) delete")
        ],
        writes: [
            WriteCase(.administrator, "registers a webhook", register("Hillside"), is: .done),
            WriteCase(
                .administrator, "registers a webhook elsewhere", register("Elsewhere"), is: .refused
            ),
            WriteCase(.administrator, "disables a webhook", disable("Hillside"), is: .done),
            WriteCase(
                .administrator, "disables a webhook elsewhere", disable("Elsewhere"), is: .nothing),
            WriteCase(.administrator, "removes a webhook", remove("Hillside"), is: .done),
            WriteCase(
                .administrator, "removes a webhook elsewhere", remove("Elsewhere"), is: .nothing),
            WriteCase(
                .administrator, "reads a webhook's secret", "select secret from school.webhook",
                is: .refused),
            WriteCase(
                .administrator, "reads a webhook's sealed secret",
                "select sealed_secret from school.webhook", is: .refused),
            WriteCase(
                .administrator, "stores a webhook's secret as it is",
                "update school.webhook set secret = sha256('plain'), sealed_secret = null",
                is: .refused),
            WriteCase(
                .administrator, "lets a webhook send older changes",
                "update school.webhook set sent_position = 3", is: .refused),
            WriteCase(
                .administrator, "changes what was sent",
                "update school.webhook_delivery set body = '{}'", is: .refused),
            WriteCase(
                .administrator, "forgets an attempt", "delete from school.webhook_attempt",
                is: .refused),
            WriteCase(
                .administrator, "takes the calls of the server",
                "select * from school.claim_webhook_calls(1, 1)", is: .refused),
            WriteCase(.siteManager, "registers a webhook", register("Hillside"), is: .refused),
            WriteCase(.provisioner, "disables a webhook", disable("Hillside"), is: .refused),
            WriteCase(.teacher, "tests a webhook", test, is: .refused),
        ])

    private static let test: Statement =
        "select school.test_webhook(test.id('webhook of Hillside'))"

    private static func register(_ organization: String) -> Statement {
        """
        insert into school.webhook (organization_id, webhook_id, name, url, kinds, is_enabled, sealed_secret,
                                    key_id)
        values (test.id(\(organization)), gen_random_uuid(), 'New', 'https://new.example/', '{class}', true,
                sha256('new'), 'key')
        """
    }

    private static func disable(_ organization: String) -> Statement {
        """
        update school.webhook set is_enabled = false
         where webhook_id = test.id('webhook of ' || \(organization))
        """
    }

    private static func remove(_ organization: String) -> Statement {
        "delete from school.webhook where webhook_id = test.id('webhook of ' || \(organization))"
    }
}
