import API

extension ObjectShape {
    /// A task, item by item.
    static let itemReport = ObjectShape(
        "ItemReport",
        [
            .required("handout", .object(reportedHandout)),
            .required(
                "task",
                .fields(
                    "NamedTask", [.required("taskId", .uuid), .required("title", .line())])),
            .required("generatedAt", .timestamp),
            .required(
                "studentsWithData", .integer(0...100_000), "How many students made an attempt."),
            .orNull(
                "missedMost", .line(256),
                "The identifier of the item with the largest missedShare, over all pages; of several "
                    + "the one with the lowest average."
            ),
            .required("items", .array(.object(reportedItem), count: 0...1000)),
            notes, nextPageToken,
        ])

    private static let reportedItem = ObjectShape(
        "ReportedItem",
        [
            .required("identifier", .line(256)), .required("title", .line(256)),
            .orNull("kind", .word(["score", "quantity", "binary"])),
            .required(
                "mixedKinds", .boolean,
                "Whether its kind differs between students; then it has no averages."),
            .required("isPrimary", .boolean),
            .required("studentsWithItem", .integer(0...100_000)),
            .orNull(
                "studentsMissed", .integer(0...100_000),
                "How many got it wrong: `value` is false of correctIncorrect, passFail and trueFalse, "
                    + "or the score is under half of its maximum. A yesNo item cannot be missed."
            ),
            .orNull(
                "missedShare", .number(0...1),
                "The share of the students with the item who missed it; null for quantities and yesNo items."
            ),
            .required(
                "classAverage",
                .fields(
                    "ItemAverage",
                    [
                        .orNull("score", .number(0...1), "The average share of the maximum."),
                        .orNull("quantity", anyNumber),
                        .orNull("positiveShare", .number(0...1)),
                    ])),
            .required("students", .array(.object(itemCell), count: 0...100_000)),
        ])

    private static let itemCell = ObjectShape(
        "ItemCell",
        names + [
            .required(
                "missed", .boolean, "Whether the student missed it, as `studentsMissed` counts."),
            .orNull("item", item, "Absent where the latest attempt lacks it."),
        ])
}
