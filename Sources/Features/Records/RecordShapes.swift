import API

/// The output of the calls about records.
enum RecordShapes {
    static let receipt = ObjectShape(
        "ErasureReceipt",
        [
            .required("personId", .uuid, "The former id; it identifies no one now."),
            .required("erasedAt", .timestamp),
            .required(
                "counts", .map(.integer(0...Int.max)),
                "How many rows of each table were erased, or freed from the person; for `export`, how "
                    + "many ordered exports expired because of it."),
            .required(
                "elsewhere", .text(1...1000),
                "Which copies remain elsewhere, and whose task it is to remove them."),
        ])

    static let corrections = ObjectShape(
        "Corrections",
        [
            .required(
                "items",
                .array(
                    .fields(
                        "Correction",
                        [
                            .required("id", .uuid), .required("correctedAt", .timestamp),
                            .orNull(
                                "correctedBy", .uuid,
                                "The person who corrected it; null for a service or someone erased since."
                            ),
                            .required(
                                "was", .map(.orNull(.text(0...1000))),
                                "The former values of the fields that changed."),
                        ]), count: 0...100_000))
        ])

    private static let finding = ObjectShape(
        "CheckFinding",
        [
            .required("code", .text(1...64), "Stable, for programs."),
            .required(
                "severity", .word(CheckReport.Severity.allCases.map(\.rawValue)),
                "error: something does not work, or can no longer be relied on."),
            .required("text", .text(1...500), "What was found."),
            .required("advice", .text(1...500), "What to do about it."),
            .required("subjectKind", .text(1...64), "What kind of record the ids belong to."),
            .required("count", .integer(1...Int.max)),
            .required(
                "subjectIds", .array(.text(1...64), count: 0...100), "The first hundred ids."),
        ])

    static let checks = ObjectShape(
        "Checks",
        [
            .required("ready", .boolean, "Whether no finding is an error."),
            .required("checkedAt", .timestamp),
            .required("findings", .array(.object(finding), count: 0...1000)),
            .required(
                "passed", .array(.text(1...64), count: 0...1000),
                "The codes of the checks that found nothing."),
            .required(
                "leftOut", .array(.text(1...64), count: 0...10),
                "The codes of the checks that take too long for a call and are left to "
                    + "`homeroom doctor`: whether the audit trail was edited, and whether reports "
                    + "show what was reported of each attempt."),
            .orNull(
                "lastExport",
                .fields(
                    "LastExport",
                    [
                        .required("exportedOn", .day, "The day it is named after."),
                        .required("takenAt", .timestamp, "The moment whose state it holds."),
                        .required(
                            "isFull", .boolean,
                            "Whether it holds everything, rather than what changed."),
                    ]), "The last nightly export; null if there was none."),
        ])
}
