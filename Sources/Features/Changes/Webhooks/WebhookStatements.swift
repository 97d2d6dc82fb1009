import JSONBytes
import Postgres
import School
import Values

extension Statement {
    static func auditWebhook(_ id: ID<WebhookEntity>, _ change: String) -> Statement {
        .audit(
            "webhookChange", subjectKind: "webhook", subject: id.uuid,
            details: ["change": .text(change)])
    }

    static func replaceSecret(
        of id: ID<WebhookEntity>, by secret: SealedSecret, in organization: OrganizationID
    ) -> Statement {
        """
        update school.webhook set sealed_secret = \(secret.bytes), key_id = \(secret.keyID)
         where organization_id = \(organization) and webhook_id = \(id)
        """
    }

    static func isEnabled(
        _ id: ID<WebhookEntity>, in organization: OrganizationID
    ) -> Statement {
        """
        select is_enabled from school.webhook where organization_id = \(organization) and webhook_id = \(id)
        """
    }

    // MARK: Deliveries

    static func testWebhook(_ id: ID<WebhookEntity>) -> Statement {
        "select school.test_webhook(\(id)) as id"
    }

    static func redeliver(_ delivery: UUID, of id: ID<WebhookEntity>) -> Statement {
        "select school.redeliver(\(id), \(delivery)) as is_ordered"
    }

    static func delivery(_ id: UUID, in organization: OrganizationID) -> Statement {
        """
        \(fragment: deliveries) where d.organization_id = \(organization) and d.delivery_id = \(id)
        """
    }

    static func deliveries(
        of id: ID<WebhookEntity>, after last: UUID?, limit: Int, in organization: OrganizationID
    ) -> Statement {
        """
        \(fragment: deliveries)
         where d.organization_id = \(organization) and d.webhook_id = \(id)
           and (\(last)::uuid is null or d.delivery_id < \(last))
         order by d.delivery_id desc limit \(limit)
        """
    }

    private static let deliveries: Statement = """
        select d.delivery_id as id, d.kind, d.change_count as changes,
               case when d.delivered_at is not null then 'delivered'
                    when d.next_attempt_at is not null then 'waiting' else 'failed' end as status,
               d.created_at as "createdAt", d.next_attempt_at as "nextAttemptAt", d.delivered_at as "deliveredAt",
               (select coalesce(json_agg(json_build_object(
                           'at', school.rfc3339(a.at), 'status', a.status, 'failure', a.failure,
                           'milliseconds', a.milliseconds) order by a.number), '[]')
                  from (select * from school.webhook_attempt as a
                         where a.organization_id = d.organization_id and a.delivery_id = d.delivery_id
                         order by a.number desc limit 20) as a) as attempts
          from school.webhook_delivery as d
        """

    // MARK: Calls

    static func claimWebhookCalls(_ limit: Int, failing: Int) -> Statement {
        """
        select organization_id, webhook_id, delivery_id, url, body, is_failing, secret, former_secret,
               sealed_secret, sealed_former_secret
          from school.claim_webhook_calls(\(Int32(limit)), \(Int32(failing)))
        """
    }

    static func finish(_ call: WebhookCall, with outcome: WebhookOutcome) -> Statement {
        """
        select school.finish_webhook_call(
                   \(call.organizationID), \(call.webhookID), \(call.deliveryID), \(outcome.status.map(Int32.init)),
                   \(outcome.failure), \(Int32(clamping: outcome.milliseconds)),
                   \(outcome.retryAfter.map { Int32(clamping: $0) }))
        """
    }
}
