import API
import Crypto
import HTTPClient
import HTTPServer
import HTTPWire
import JSONBytes
import Postgres
import School
import Values

/// Names the ids of webhooks.
package enum WebhookEntity: ResourceEntity {
    package static let table: Statement = "webhook"
}

/// Names the ids of what is sent in one call.
enum DeliveryEntity {}

/// Addresses of other systems that are sent changes of the directory, as an administrator registers them.
extension Changes {
    private static let url = Column<String>(
        "url", .text(1...1000),
        "Begins with https://; with http:// only on the server's own machine.")
    private static let isEnabled = Column<Bool?>(
        "is_enabled", as: "enabled", nil,
        "Whether it is called; true when absent. Enabled again, it goes on where it stopped."
    ).withDefault

    static let webhooks = Resource<WebhookEntity>(
        .init("webhook", "webhooks", at: "/v1/webhooks"),
        columns: [
            Column<String>("name", .line(100), "What receives the calls."),
            url, Column<[String]>("kinds", WebhookShapes.kinds, "Which changes are sent."),
            isEnabled,
        ],
        computed: [
            Computed("disabled_because") {
                .orNull(
                    $0, .word(["failing", "gone"]),
                    "failing: for three days nothing could be delivered; gone: the receiver answered 410. Null if it is "
                        + "enabled, or an administrator disabled it.")
            },
            Computed("failing_since") {
                .orNull($0, .timestamp, "Null if the last call succeeded.")
            },
            Computed("secret_changed_at") { .required($0, .timestamp) },
            Computed(
                "webhook.former_until as former_secret_until",
                .orNull(
                    "formerSecretUntil", .timestamp,
                    "Until then, the secret before this one signs calls, too. Null if there was none."
                )),
        ],
        rules: Rules {
            $0.validate = { webhook in
                guard let address = WebAddress(webhook[url]),
                    address.isSecure || ownHosts.contains(address.host)
                else {
                    throw Problem.invalid(
                        "/url", "invalid_url",
                        "Give a URL that begins with https://, without user and fragment.")
                }
            }
            $0.check = { webhook, _, _ in
                webhook[isEnabled] = webhook[isEnabled] ?? true
            }
            $0.complete = { webhook, session, _ in
                let change = webhook.present == nil ? "registered" : "changed"
                try await session.query(.auditWebhook(webhook.id, change))
            }
            $0.removed = { [.auditWebhook($0, "removed")] }
        },
        // A new webhook is answered with its secret.
        without: [.create])

    private static let ownHosts: Set<String> = ["127.0.0.1", "::1", "localhost"]

    var webhookEndpoints: [Endpoint] {
        let webhooks = Self.webhooks
        return webhooks.endpoints(
            database, readers: [.administrator], writers: [.administrator],
            ResourceTexts(
                summaries: [.remove: "Remove a webhook and its deliveries"],
                answers: [.list: "The oldest first."])) + [
                Endpoint(
                    .post, webhooks.names.path, "Register a webhook",
                    description: """
                        Calls are signed as Standard Webhooks says, and repeated for three days until the \
                        receiver answers 2xx.
                        """, for: [.administrator],
                    body: .json(.object(webhooks.newShape)),
                    answers: [
                        .json(
                            "The webhook and its secret. Changes from now on are sent.",
                            WebhookShapes.webhookWithSecret, status: 201
                        ).tagged.located
                    ],
                    problems: [(409, "The organization has 20 webhooks.")], keys: .refused,
                    handler: registerWebhook),
                Endpoint(
                    .post, "\(webhooks.names.path)/{id}/secret",
                    "Replace the secret of a webhook", for: [.administrator],
                    answers: [
                        .json(
                            "The webhook and its new secret. For a day, deliveries are signed with both.",
                            WebhookShapes.webhookWithSecret
                        ).tagged
                    ],
                    problems: [Resource<WebhookEntity>.changed], keys: .refused,
                    handler: replaceWebhookSecret),
            ] + deliveryEndpoints
    }

    private func registerWebhook(_ request: Request, _ caller: Caller) async throws -> Response {
        let (secret, key) = (WebhookSecret(), try await key.toSeal())
        let (id, rows) = try await Self.webhooks.create(request, caller, in: database) {
            let sealed = secret.sealed(for: $0.id, of: caller, with: key)
            $0.set("sealed_secret", to: sealed.bytes)
            $0.set("key_id", to: sealed.keyID)
        }
        worker.nudge()
        return try .object(rows, secret: ("secret", secret.text), status: 201)
            .located(at: "\(Self.webhooks.names.path)/\(id.uuid)")
    }

    private func replaceWebhookSecret(
        _ request: Request, _ caller: Caller
    ) async throws -> Response {
        let (secret, key) = (WebhookSecret(), try await key.toSeal())
        let rows = try await Self.webhooks.change(request, caller, in: database) { id in
            [
                .replaceSecret(
                    of: id, by: secret.sealed(for: id, of: caller, with: key),
                    in: caller.organizationID),
                .auditWebhook(id, "secret"),
            ]
        }
        return try .object(rows, secret: ("secret", secret.text))
    }
}

extension WebhookSecret {
    fileprivate func sealed(
        for id: ID<WebhookEntity>, of caller: Caller, with key: SealingKey
    ) -> SealedSecret {
        SealedSecret(
            bytes, for: SecretContext.webhook(id.uuid, of: caller.organizationID), with: key)
    }
}

extension Problem {
    static let tooManyWebhooks = Problem(
        409, "too_many_webhooks", "An organization has at most 20 webhooks.",
        detail: "Remove one first.")

    static let webhookDisabled = Problem(
        409, "webhook_disabled", "The webhook is disabled.", detail: "Enable it first.")
}
