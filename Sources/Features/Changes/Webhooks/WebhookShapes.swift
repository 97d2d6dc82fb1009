import API
import School

/// The input and output of the calls about webhooks.
enum WebhookShapes {
    /// Handouts are missing: administrators do not read them.
    static let kinds = Shape.array(
        .word(ChangeShapes.kinds.filter { $0 != "handout" }), count: 1...6)

    static let webhookWithSecret = Shape.fields(
        "WebhookWithSecret",
        Changes.webhooks.shape.fields + [
            .required(
                "secret", .text(50...50),
                "Verifies signatures, as Standard Webhooks says. Answered once.")
        ])

    static let delivery = ObjectShape(
        "WebhookDelivery",
        [
            .required("id", .uuid, "The `webhook-id` of its calls."),
            .required("kind", .word(["changes", "test"])),
            .required("changes", .integer(0...100), "How many changes it holds."),
            .required(
                "status", .word(["waiting", "delivered", "failed"]),
                "waiting: for its first or its next call."),
            .required("createdAt", .timestamp),
            .orNull(
                "nextAttemptAt", .timestamp,
                "The earliest time of its next call. Null unless it is waiting."),
            .orNull("deliveredAt", .timestamp),
            .required(
                "attempts", .array(.object(attempt), count: 0...20), "The last 20, oldest first."),
        ])

    private static let attempt = ObjectShape(
        "WebhookAttempt",
        [
            .required("at", .timestamp, "When it ended."),
            .orNull("status", .integer(100...999), "What the receiver answered."),
            .orNull("failure", .text(1...1000), "Why the receiver did not answer."),
            .required("milliseconds", .integer(0...Int.max)),
        ])
}
