import Crypto
import HTTPClient
import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values
import WaitKit

@testable import Changes

/// A webhook that a test registered.
struct RegisteredWebhook {
    let path: String
    let secret: String

    init(
        _ kinds: [String] = ["class", "person"], url: String = "https://library.example/hook",
        as persona: Persona = .ada, in school: TestSchool
    ) async throws {
        let answer = try await school.post(
            "/v1/webhooks", as: persona,
            json: [
                "name": "Library", "url": .text(url),
                "kinds": .array(kinds.map(JSONValue.text)),
            ])
        try #require(answer.status == 201)
        path = try #require(answer.header("location"))
        secret = try #require(answer.json["secret"]?.text)
    }

    /// The deliveries, newest first.
    func deliveries(_ school: TestSchool) async throws -> [JSONValue] {
        try await school.get("\(path)/deliveries", as: .ada).items
    }
}

@Suite struct Webhooks {
    private func move(_ group: ClassID, to room: String) -> Statement {
        "update school.class set room = \(room) where class_id = \(group)"
    }

    /// Sends what is due until the receiver was called that often.
    private func send(_ receiver: Receiver, _ count: Int, in school: TestSchool) async throws {
        try await eventually {
            try await school.storeUploads()
            return receiver.calls.count >= count
        }
        #expect(receiver.calls.count == count)
    }

    @Test func `changes are sent with ids and a signature, and once`() async throws {
        let receiver = Receiver()
        try await withSchool(client: receiver) { school in
            let webhook = try await RegisteredWebhook(in: school)
            try school.sql(move(school.biology, to: "12"))
            try school.sql("update school.location set name = 'Not asked for'")
            try school.sql(move(TestIDs.elsewhereClass, to: "12"))
            try await send(receiver, 1, in: school)
            let call = receiver.calls[0]
            #expect(call.url == "https://library.example/hook")
            #expect(call.headers["Content-Type"] == "application/json")
            #expect(try call.isSigned(with: webhook.secret))
            let changes = try call.changes.map { try SeenChange($0) }
            #expect(changes == [SeenChange("class", school.biology.uuid.description, "changed")])
            #expect(call.json["type"]?.text == "changes")
            let deliveries = try await webhook.deliveries(school)
            #expect(deliveries.count == 1 && deliveries[0]["status"]?.text == "delivered")
            #expect(deliveries[0]["id"]?.text == call.id)
            #expect(deliveries[0]["attempts"]?[0]?["status"]?.int64 == 204)
            try await school.storeUploads()
            #expect(receiver.calls.count == 1)
        }
    }

    @Test func `a secret is answered once, and its successor signs beside it`() async throws {
        let receiver = Receiver()
        try await withSchool(client: receiver) { school in
            let webhook = try await RegisteredWebhook(in: school)
            let read = try await school.get(webhook.path, as: .ada)
            #expect(read.status == 200 && read.json["secret"] == nil)
            #expect(!read.text.contains("whsec_") && webhook.secret.hasPrefix("whsec_"))
            let replaced = try await school.post("\(webhook.path)/secret", as: .ada)
            let newer = try #require(replaced.json["secret"]?.text)
            #expect(newer != webhook.secret)
            #expect(replaced.json["formerSecretUntil"]?.text != nil)
            #expect(try await school.post("\(webhook.path)/test", as: .ada).status == 202)
            #expect(receiver.calls.count == 1)
            #expect(try receiver.calls[0].isSigned(with: newer))
            #expect(try receiver.calls[0].isSigned(with: webhook.secret))
            try school.sql("update school.webhook set former_until = now() - interval '1 second'")
            _ = try await school.post("\(webhook.path)/test", as: .ada)
            #expect(try receiver.calls[1].isSigned(with: newer))
            #expect(try !receiver.calls[1].isSigned(with: webhook.secret))
        }
    }

    /// What the reference implementation of Standard Webhooks in Python makes of this.
    @Test func `signatures are those of Standard Webhooks`() throws {
        let secret = try #require(Base64.decode("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"))
        let headers = WebhookSignature.headers(
            id: "msg_p5jXN8AQM9LWM0D4loKWxJek", seconds: 1_614_265_330,
            body: Array(#"{"test": 2432232314}"#.utf8), secrets: [secret])
        #expect(headers.last?.value == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=")
    }

    @Test func `a failed delivery is sent again as it was, and not too early`() async throws {
        let receiver = Receiver()
        try await withSchool(client: receiver) { school in
            let webhook = try await RegisteredWebhook(in: school)
            receiver.answer(503, retryAfter: 7200)
            try school.sql(move(school.biology, to: "12"))
            try await send(receiver, 1, in: school)
            let wait = try school.sql(
                """
                select extract(epoch from next_attempt_at - now())::integer as seconds from school.webhook_delivery
                """)[0].int("seconds")
            #expect((7000...7200).contains(wait))
            let failing = try await school.get(webhook.path, as: .ada)
            #expect(failing.json["failingSince"]?.text != nil)
            // What comes later waits behind it.
            try school.sql(move(school.chemistry, to: "13"))
            try await school.storeUploads()
            #expect(receiver.calls.count == 1)
            receiver.fail(.slow)
            try school.sql("update school.webhook_delivery set next_attempt_at = now()")
            try await send(receiver, 2, in: school)
            receiver.answer(200)
            try school.sql("update school.webhook_delivery set next_attempt_at = now()")
            try await send(receiver, 4, in: school)
            let calls = receiver.calls
            #expect(calls[0].id == calls[2].id && calls[0].body == calls[2].body)
            #expect(calls[3].id != calls[0].id && calls[3].changes.count == 1)
            let first = try #require(try await webhook.deliveries(school).last)
            let attempts = try #require(first["attempts"]?.array)
            #expect(attempts.map { $0["status"]?.int64 } == [503, nil, 200])
            #expect(attempts[1]["failure"]?.text == "The server did not answer in time.")
            let mended = try await school.get(webhook.path, as: .ada)
            #expect(mended.json["failingSince"] == .null)
        }
    }

    @Test func `after three days of failures a webhook is disabled, and goes on when enabled`()
        async throws
    {
        let receiver = Receiver()
        try await withSchool(client: receiver) { school in
            let webhook = try await RegisteredWebhook(in: school)
            receiver.answer(500)
            try school.sql(move(school.biology, to: "12"))
            try await send(receiver, 1, in: school)
            try school.sql(
                """
                update school.webhook set failing_since = now() - interval '3 days'
                """)
            try school.sql("update school.webhook_delivery set next_attempt_at = now()")
            try await send(receiver, 2, in: school)
            let disabled = try await school.get(webhook.path, as: .ada).json
            #expect(disabled["enabled"] == false && disabled["disabledBecause"]?.text == "failing")
            let checks = try await school.get("/v1/checks", as: .ada).text
            #expect(checks.contains("A webhook was disabled because its receiver failed."))
            let audited = try school.sql(
                "select details ->> 'reason' as reason from school.audit_event where standing = 'server'"
            )
            #expect(try audited.map { try $0.optionalText("reason") }.contains("failing"))
            let refused = try await school.post("\(webhook.path)/test", as: .ada)
            #expect(refused.status == 409 && refused.code == "webhook_disabled")
            receiver.answer(200)
            _ = try await school.patch(webhook.path, as: .ada, json: ["enabled": true])
            try await send(receiver, 3, in: school)
            #expect(receiver.calls[2].id == receiver.calls[0].id, "nothing was lost")
        }
    }

    @Test func `410 disables a webhook, and an administrator may, too`() async throws {
        let receiver = Receiver()
        try await withSchool(client: receiver) { school in
            let webhook = try await RegisteredWebhook(in: school)
            receiver.answer(410)
            _ = try await school.post("\(webhook.path)/test", as: .ada)
            let gone = try await school.get(webhook.path, as: .ada).json
            #expect(gone["enabled"] == false && gone["disabledBecause"]?.text == "gone")
            receiver.answer(200)
            _ = try await school.patch(webhook.path, as: .ada, json: ["enabled": true])
            let off = try await school.patch(webhook.path, as: .ada, json: ["enabled": false])
            #expect(off.json["disabledBecause"] == .null)
            try school.sql(move(school.biology, to: "12"))
            var ada = try await Follower(.ada, in: school)
            try school.sql(move(school.chemistry, to: "13"))
            _ = try await ada.read(atLeast: 1)
            #expect(receiver.calls.count == 1)
            _ = try await school.patch(webhook.path, as: .ada, json: ["enabled": true])
            try await send(receiver, 2, in: school)
            #expect(receiver.calls[1].changes.count == 2)
        }
    }

    @Test func `a delivery is sent again on order`() async throws {
        let receiver = Receiver()
        try await withSchool(client: receiver) { school in
            let webhook = try await RegisteredWebhook(in: school)
            let ordered = try await school.post("\(webhook.path)/test", as: .ada)
            let id = try #require(ordered.json["id"]?.text)
            let path = "\(webhook.path)/deliveries/\(id)"
            #expect(try await school.post(path, as: .ada).status == 202)
            #expect(receiver.calls.map(\.id) == [id, id])
            #expect(try await school.post(path, as: .olga).status == 404)
            let unknown = "\(webhook.path)/deliveries/\(UUID.v7())"
            #expect(try await school.post(unknown, as: .ada).status == 404)
            #expect(receiver.calls.count == 2)
        }
    }

    @Test(arguments: [
        "http://library.example/", "ftp://library.example/", "https://user@library.example/",
        "https://library.example/#part", "library.example",
    ])
    func `a URL that cannot be called safely is refused`(url: String) async throws {
        try await withSchool { school in
            let answer = try await school.post(
                "/v1/webhooks", as: .ada,
                json: ["name": "Library", "url": .text(url), "kinds": ["class"]])
            #expect(answer.status == 422 && answer.pointers == ["/url"])
        }
    }

    @Test(arguments: ["https://10.0.0.1/", "https://localhost/", "https://169.254.169.254/"])
    func `addresses inside the network are not called`(url: String) async throws {
        try await withSchool(client: HTTPClient(limits: .webhooks)) { school in
            let webhook = try await RegisteredWebhook(url: url, in: school)
            _ = try await school.post("\(webhook.path)/test", as: .ada)
            let delivery = try #require(try await webhook.deliveries(school).first)
            #expect(delivery["status"]?.text == "failed", "a test is tried once")
            let failure = delivery["attempts"]?[0]?["failure"]?.text
            #expect(failure?.contains("HOMEROOM_LOCAL_WEBHOOKS") == true)
        }
    }

    @Test func `the statements are the ones that readers see`() throws {
        try StatementFile.check(Changes.webhooks)
    }
}
