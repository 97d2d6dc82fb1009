import JSONBytes
import Postgres
import School
import TestKit
import Testing
import WaitKit

/// How often a receiver that fails is called, and what happens when it is well again.
@Suite struct WebhookProbes {
    /// Sends what is due until the receiver was called that often.
    private func send(_ receiver: Receiver, _ count: Int, in school: TestSchool) async throws {
        try await eventually {
            try await school.storeUploads()
            return receiver.calls.count >= count
        }
        #expect(receiver.calls.count == count)
    }

    private func change(_ room: String, in school: TestSchool) throws {
        try school.sql(
            "update school.class set room = \(room) where class_id = \(school.biology)")
    }

    /// How long the delivery that waits has to wait, in seconds.
    private func wait(in school: TestSchool) throws -> Double {
        try school.sql(
            """
            select extract(epoch from next_attempt_at - school.moment())::float8 as seconds
              from school.webhook_delivery where next_attempt_at is not null
            """)[0].double("seconds")
    }

    @Test func `a receiver that answered before is probed every minute, and catches up at once`()
        async throws
    {
        let receiver = Receiver()
        try await withSchool(client: receiver) { school in
            _ = try await RegisteredWebhook(in: school)
            try change("1", in: school)
            try await send(receiver, 1, in: school)
            receiver.answer(503)
            try change("2", in: school)
            try await send(receiver, 2, in: school)
            #expect((4...6).contains(try wait(in: school)), "as after a restart")
            // Two days long.
            for probe in 0..<6 {
                try school.setMoment(ahead: .seconds(60 + probe * 8 * 3600))
                try await send(receiver, 3 + probe, in: school)
                #expect((40...60).contains(try wait(in: school)), "probe \(probe)")
            }
            try change("3", in: school)
            try school.sql(
                "update school.class set room = '4' where class_id = \(school.chemistry)")
            receiver.answer(200)
            try school.setMoment(ahead: .seconds(60 + 5 * 8 * 3600 + 60))
            // The one that failed, and all that came after it.
            try await send(receiver, 10, in: school)
            #expect(receiver.calls[8].id == receiver.calls[1].id)
            #expect(receiver.calls[9].changes.count == 2)
        }
    }

    @Test func `an address that never answered is called less often, and a new one is such`()
        async throws
    {
        let receiver = Receiver()
        try await withSchool(client: receiver) { school in
            let webhook = try await RegisteredWebhook(in: school)
            receiver.answer(404)
            try change("1", in: school)
            try await send(receiver, 1, in: school)
            try school.sql("update school.webhook_delivery set tries = 10")
            try school.setMoment(ahead: .seconds(60))
            try await send(receiver, 2, in: school)
            #expect((800...1000).contains(try wait(in: school)))
            receiver.answer(204)
            try school.setMoment(ahead: .seconds(1100))
            try await send(receiver, 3, in: school)
            func hasAnswered() throws -> Bool {
                try school.sql("select has_answered from school.webhook")[0].bool("has_answered")
            }
            #expect(try hasAnswered())
            _ = try await school.patch(webhook.path, as: .ada, json: ["name": "Other"])
            #expect(try hasAnswered())
            _ = try await school.patch(
                webhook.path, as: .ada, json: ["url": "https://elsewhere.example/hook"])
            #expect(try !hasAnswered())
        }
    }

    @Test func `of those that fail, the one that waited longest is called first`() async throws {
        try await withSchool(client: Receiver()) { school in
            for _ in 0..<3 { _ = try await RegisteredWebhook(in: school) }
            try school.sql(
                """
                select school.add_delivery(organization_id, webhook_id, 'changes', '[]', 0) from school.webhook
                """)
            // The oldest failure was called last.
            try school.sql(
                """
                update school.webhook as w
                   set failing_since = school.moment() - n * interval '1 hour',
                       claimed_until = school.moment() - (4 - n) * interval '1 second'
                  from (select webhook_id, row_number() over () as n from school.webhook) as l
                 where l.webhook_id = w.webhook_id
                """)
            let first = try school.sql(
                "select webhook_id::text as id from school.webhook order by failing_since desc limit 1"
            )[0].text("id")
            let claimed = try school.sql(
                "select webhook_id::text as id from school.claim_webhook_calls(32, 1)")
            #expect(try claimed.map { try $0.text("id") } == [first])
        }
    }

    @Test
    func `one that has failed for an hour is counted and reported, and attempts do not pile up`()
        async throws
    {
        let receiver = Receiver()
        try await withSchool(client: receiver) { school in
            let webhook = try await RegisteredWebhook(in: school)
            _ = try await RegisteredWebhook(as: .olga, in: school)
            receiver.answer(500)
            try change("1", in: school)
            try await send(receiver, 1, in: school)
            func failing() throws -> Int {
                try school.sql("select webhooks_failing_long as n from school.service_figures()")[0]
                    .int("n")
            }
            #expect(try failing() == 0)
            let text = "A webhook has failed for an hour."
            #expect(try await !school.get("/v1/checks", as: .ada).text.contains(text))
            try school.setMoment(ahead: .seconds(3601))
            #expect(try failing() == 1)
            #expect(try await school.get("/v1/checks", as: .ada).text.contains(text))
            #expect(try await !school.get("/v1/checks", as: .olga).text.contains(text))
            try school.sql(
                """
                insert into school.webhook_attempt (organization_id, delivery_id, number, at, status, milliseconds)
                select organization_id, delivery_id, n, school.moment(), 500, 1
                  from school.webhook_delivery cross join generate_series(101, 140) as n
                """)
            let before = receiver.calls.count
            try school.setMoment(ahead: .seconds(3700))
            try await send(receiver, before + 1, in: school)
            let kept = try school.sql(
                "select count(*) as n, max(number) as newest from school.webhook_attempt")[0]
            #expect(try kept.int("n") == 20)
            #expect(try kept.int("newest") == 141)
            _ = try await school.patch(webhook.path, as: .ada, json: ["enabled": false])
            #expect(try failing() == 0, "nobody expects it to work")
        }
    }
}
