import API
import Crypto
import HTTPClient
import Postgres
import School
import Values

/// What signs deliveries, as Standard Webhooks says: 32 random bytes.
struct WebhookSecret: Sendable {
    let bytes = SecureRandom.bytes(32)

    /// As it is given to receivers.
    var text: String { "whsec_" + Base64.encode(bytes) }
}

/// A call that this process has claimed.
struct WebhookCall: Sendable {
    let organizationID: UUID
    let webhookID: UUID
    let deliveryID: UUID
    let url: String
    let body: [UInt8]
    /// Whether the last call of the webhook failed.
    let isFailing: Bool
    /// The secret, and the one before it while that still signs; none if the secret does not open.
    let secrets: [[UInt8]]

    /// - Parameter key: opens the secrets; `nil` if this process has none.
    init(_ row: Row, _ key: SealingKey?) throws {
        organizationID = try row.uuid("organization_id")
        webhookID = try row.uuid("webhook_id")
        deliveryID = try row.uuid("delivery_id")
        url = try row.text("url")
        body = Array(try row.text("body").utf8)
        isFailing = try row.bool("is_failing")
        let context = SecretContext.webhook(webhookID, of: OrganizationID(organizationID))
        func secret(_ plain: String, _ sealed: String) throws -> [UInt8]? {
            // Stored by an earlier version, and sealed soon.
            if let secret = try row.optionalBytes(plain) { return secret }
            return try row.optionalBytes(sealed).flatMap { key?.open($0, for: context) }
        }
        guard let own = try secret("secret", "sealed_secret") else {
            secrets = []
            return
        }
        let former = try secret("former_secret", "sealed_former_secret")
        secrets = [own] + (former.map { [$0] } ?? [])
    }

    /// - Parameter now: when the call is signed, which receivers compare with their clocks.
    func send(with client: any OutgoingCalls, now: Timestamp) async -> WebhookOutcome {
        let began = ContinuousClock.now
        var outcome = WebhookOutcome()
        guard !secrets.isEmpty else {
            outcome.failure = "The secret can no longer be decrypted. Replace it."
            return outcome
        }
        do {
            guard let address = WebAddress(url) else {
                throw OutgoingFailure.other("its URL is not valid")
            }
            let signed = WebhookSignature.headers(
                id: deliveryID.description, seconds: now.milliseconds / 1000, body: body,
                secrets: secrets)
            let answer = try await client.send(
                OutgoingRequest(
                    address, headers: [("Content-Type", "application/json")] + signed, body: body))
            outcome.status = answer.status
            outcome.retryAfter = answer.retryAfter
        } catch OutgoingFailure.foreignPlace {
            outcome.failure =
                "The name leads to an address inside a network or on this machine. The operator can allow that with "
                + "HOMEROOM_LOCAL_WEBHOOKS."
        } catch let failure as OutgoingFailure {
            outcome.failure = failure.description
        } catch {
            outcome.failure = "The call was interrupted."
        }
        outcome.milliseconds = Int((ContinuousClock.now - began) / .milliseconds(1))
        return outcome
    }
}

/// What became of a call: a status, or a failure.
struct WebhookOutcome: Sendable {
    var status: Int?
    var failure: String?
    var milliseconds = 0
    /// How many seconds the receiver asks to be left alone.
    var retryAfter: Int?
}

/// The headers of Standard Webhooks 1.0.
enum WebhookSignature {
    /// - Parameter secrets: each makes a signature; a receiver takes the one that it can verify.
    static func headers(
        id: String, seconds: Int64, body: [UInt8], secrets: [[UInt8]]
    ) -> [(name: String, value: String)] {
        let content = Array("\(id).\(seconds).".utf8) + body
        let signatures = secrets.map { "v1," + Base64.encode(HMACKey($0).code(for: content)) }
        return [
            ("webhook-id", id), ("webhook-timestamp", String(seconds)),
            ("webhook-signature", signatures.joined(separator: " ")),
        ]
    }
}

extension HTTPClient.Limits {
    /// For calls of webhooks: ten seconds, and no more of an answer than it takes to know the status.
    package static var webhooks: Self {
        var limits = Self()
        limits.milliseconds = 10_000
        limits.bytes = 8192
        limits.ignoresRest = true
        limits.running = WebhookWorker.callsMax
        limits.runningToOne = WebhookWorker.callsMax
        return limits
    }
}
