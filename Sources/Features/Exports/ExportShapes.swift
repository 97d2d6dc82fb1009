import API

extension Shape {
    /// The order of an export.
    static let exportOrder = Shape.fields(
        "ExportOrder",
        [
            .optional(
                "sinceExportId", .uuid,
                "Only what changed since this export, which you have loaded. If absent, everything."
            )
        ])
}

extension ObjectShape {
    static let orderedExport = ObjectShape(
        "OrderedExport", [.required("id", .uuid), .required("status", .word(["queued"]))])

    static let export = ObjectShape(
        "Export",
        [
            .required("id", .uuid),
            .required("status", .word(["queued", "running", "succeeded", "failed"])),
            .orNull("sinceExportId", .uuid),
            .orNull(
                "date", .day,
                "The day on which it was written, in the time zone of the organization."),
            .orNull(
                "since", .timestamp,
                "The moment from which on it holds changes; absent when it holds everything."),
            .orNull("snapshotAt", .timestamp, "The moment whose state it holds."),
            .orNull("rows", .integer(0...1_000_000_000_000)),
            .required(
                "files", .array(.object(file), count: 0...100),
                "The same files as in a folder of the nightly export; none once they are gone."),
            .orNull("failure", .line(1000), "Why it failed."),
            .required("createdAt", .timestamp), .required("updatedAt", .timestamp),
            .orNull("startedAt", .timestamp), .orNull("finishedAt", .timestamp),
            .orNull("expiresAt", .timestamp, "When its files are removed."),
            .required("expired", .boolean, "Whether its files are gone."),
            .orNull(
                "expiredBecause", .word(["age", "erasure", "progressDeleted"]),
                "Why they are gone: a week has passed, a person was erased, or progress was deleted. "
                    + "Order another export."),
        ])

    private static let file = ObjectShape(
        "ExportFile",
        [
            .required("name", .line(100)),
            .required("bytes", .integer(0...1_000_000_000_000_000)),
            .required("sha256", .text(64...64)),
            .orNull(
                "rows", .integer(0...1_000_000_000_000),
                "How many rows it has; only for a file with rows."),
        ])
}
