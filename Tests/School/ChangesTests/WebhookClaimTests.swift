import HTTPClient
import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

/// Who calls which webhooks, and how many there may be.
@Suite struct WebhookClaims {
    @Test func `a webhook is called by one process at a time, a school's by few at once`()
        async throws
    {
        try await withSchool(client: Receiver()) { school in
            for _ in 0..<6 { _ = try await RegisteredWebhook(in: school) }
            _ = try await RegisteredWebhook(as: .olga, in: school)
            try school.sql(
                """
                select school.add_delivery(organization_id, webhook_id, 'test', '[]', 0) from school.webhook
                """)
            let claim: Statement = """
                select organization_id as id, webhook_id from school.claim_webhook_calls(100, 100)
                """
            let first = try school.sql(claim).map { try $0.uuid("id") }
            #expect(first.count(where: { $0 == school.hillside.uuid }) == 4)
            #expect(first.count(where: { $0 == school.elsewhere.uuid }) == 1)
            #expect(try school.sql(claim).count == 0, "until the calls end")
            try school.sql("update school.webhook set claimed_until = now() - interval '1 second'")
            #expect(try school.sql(claim).count == 5, "a process that died loses its claims")
        }
    }

    @Test func `receivers that fail leave room for the others`() async throws {
        try await withSchool(client: Receiver()) { school in
            for _ in 0..<3 { _ = try await RegisteredWebhook(in: school) }
            let well = try await RegisteredWebhook(as: .olga, in: school)
            try school.sql(
                """
                select school.add_delivery(organization_id, webhook_id, 'test', '[]', 0) from school.webhook
                """)
            try school.sql(
                """
                update school.webhook set failing_since = now() where organization_id = \(school.hillside)
                """)
            let claimed = try school.sql(
                "select webhook_id::text as id from school.claim_webhook_calls(3, 1)")
            #expect(claimed.count == 2)
            #expect(try well.path.hasSuffix(claimed[0].text("id")), "those that answer come first")
        }
    }

    @Test func `old deliveries are forgotten, and those that wait are not`() async throws {
        try await withSchool(client: Receiver()) { school in
            let webhook = try await RegisteredWebhook(in: school)
            for _ in 0..<2 { _ = try await school.post("\(webhook.path)/test", as: .ada) }
            try school.sql(
                """
                update school.webhook_delivery set next_attempt_at = now() + interval '1 hour', delivered_at = null
                 where delivery_id = (select delivery_id from school.webhook_delivery limit 1)
                """)
            let forget: Statement = "select school.forget_deliveries(10) as count"
            #expect(try school.sql(forget)[0].int("count") == 0)
            try school.sql(
                "update school.webhook_delivery set created_at = now() - interval '8 days'")
            try school.letClockProveRight()
            #expect(try school.sql(forget)[0].int("count") == 1)
            #expect(try await webhook.deliveries(school).count == 1)
        }
    }

    @Test func `a school has at most 20`() async throws {
        try await withSchool(client: Receiver()) { school in
            for _ in 0..<20 { _ = try await RegisteredWebhook(in: school) }
            let answer = try await school.post(
                "/v1/webhooks", as: .ada,
                json: ["name": "More", "url": "https://more.example/", "kinds": ["class"]])
            #expect(answer.status == 409 && answer.code == "too_many_webhooks")
        }
    }
}
