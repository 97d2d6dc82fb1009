import API
import JSONBytes
import Postgres
import School

/// The input and output of the calls about retention.
enum RetentionShapes {
    private static let kind = Field.required(
        "kind", .word(["activities", "auditEvents", "exports", "grades", "handouts"]),
        "What the rule is about, and since when it counts. activities: since they arrived; auditEvents, and viewings with "
            + "them: since they happened; exports: folders of the nightly export; grades of other systems: since the day of the "
            + "score, or since they came if that was earlier; handouts of closed terms, with the work on them: since the closing."
    )

    static let wishes = ObjectShape(
        "RetentionChange",
        [
            .required(
                "rules",
                .array(
                    .fields(
                        "RetentionWish",
                        [
                            kind, .optional("years", .integer(1...100)),
                            .optional("days", .integer(30...36_500)),
                        ]), count: 0...5),
                "One rule for each kind, with either years or days.")
        ])

    static let rules = ObjectShape(
        "Retention",
        [
            .required(
                "rules",
                .array(
                    .fields(
                        "RetentionRule",
                        [
                            kind, .orNull("years", .integer(1...100), "Kept for that long."),
                            .orNull(
                                "days", .integer(30...36_500),
                                "The same in days. Without years and days, it is kept for good."),
                            .orNull("setAt", .timestamp, "Null if it was never set."),
                            .orNull(
                                "effectiveAt", .timestamp,
                                "Nothing is removed before: 30 days after the rule was set or shortened."
                            ),
                            .orNull(
                                "removedBefore", .timestamp,
                                "Everything older has been removed, except what a hold keeps."),
                            .required(
                                "going", .integer(0...Int.max),
                                "At most how many will be removed within 30 days, as far as is known now. Activities, grades "
                                    + "and handouts are rounded up to hundreds, and count even if a hold keeps them."
                            ),
                        ]), count: 5...5)),
            .orNull(
                "lastNight",
                .fields(
                    "RetentionNight",
                    [
                        .required("night", .day),
                        .required(
                            "removed", .map(.integer(0...Int.max)),
                            "How many of each kind. Activities, grades and handouts are not counted while there is a hold."
                        ),
                        .orNull("finishedAt", .timestamp, "Null while there is more to remove."),
                    ]), "What the rules removed last; null if they never did."),
        ])

    private static let reason = Field.required(
        "reason", .text(1...1000, lines: true), "Why it was placed, for other administrators.")

    static let newHold = ObjectShape(
        "NewHold",
        [
            .optional("personId", .reference, "The person whose data stays."),
            .optional(
                "classId", .reference, "Or the class whose data stays, with that of its members."),
            reason,
        ])

    static let hold = ObjectShape(
        "Hold",
        [
            .required("id", .uuid), .orNull("personId", .uuid), .orNull("classId", .uuid), reason,
            .required("createdAt", .timestamp),
        ])

    static let holds = ObjectShape(
        "Holds", [.required("items", .array(.object(hold), count: 0...100_000))])

    /// The rules of a body, as the database takes them.
    static func checked(_ body: Fields) throws -> JSONDocument {
        let rules = body.objects("rules") ?? []
        var kinds: Set<String> = []
        for (index, rule) in rules.enumerated() {
            let kind = rule.text("kind") ?? ""
            guard kinds.insert(kind).inserted else {
                throw Problem.invalid(
                    "/rules/\(index)/kind", "duplicate", "This kind already has a rule.")
            }
            guard rule.has("years") != rule.has("days") else {
                throw Problem.invalid("/rules/\(index)", "one_of", "State either years or days.")
            }
        }
        return JSONDocument(JSONValue.array(rules.map { .object($0.object) }).bytes)
    }
}
