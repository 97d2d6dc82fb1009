import API
import School

extension ObjectShape {
    static let queuedImport = ObjectShape(
        "QueuedImport", [.required("id", .uuid), .required("status", .importStatus)])

    static let importSummary = ObjectShape("ImportSummary", importFields)

    static let importDetails = ObjectShape(
        "Import",
        importFields + [
            .required(
                "files", .array(.object(.importFile), count: 0...7),
                "Empty until the plan is made."),
            .required(
                "removals",
                .array(
                    .fields(
                        "ImportRemoval",
                        [
                            .required("kind", .word(["people", "classes", "seats"])),
                            .required("removed", .integer(0...Int.max)),
                            .required("present", .integer(0...Int.max), "How many there were."),
                        ]), count: 0...3),
                "How much of what is there the plan removes. Empty until it is made."),
            .required(
                "ignoredFiles", .array(.text(1...100), count: 0...30),
                "Files of the format that are not used and were not stored."),
            .required(
                "errors", .array(.object(.importError), count: 0...1000),
                "The first thousand, file by file, from top to bottom."),
            .required(
                "warnings", .array(.object(importError), count: 0...1000),
                "The first thousand of what was left out: rows, values and references that cannot be used. Whom and "
                    + "what they are about stays as it is. Also people who hold a role that is not the orderer's to "
                    + "give, agents who are not in the list of users, and what is odd: people in a class as what they "
                    + "are not in the list of users."),
            .required(
                "tallies", .array(.object(importTally), count: 0...3000),
                "How often something of each kind was wrong, left out or put right, in each file and column."
            ),
        ])

    private static let importFields: [Field] = [
        .required("id", .uuid),
        .required("mode", .word(["preview", "apply"])),
        .required("status", .importStatus),
        .orNull("format", .word(ImportFormat.allCases.map(\.rawValue)), "Once it is recognised."),
        .required("progress", .number(0...1)),
        .required("errorCount", .integer(0...Int.max), "All errors, also those not listed."),
        .required("warningCount", .integer(0...Int.max), "All warnings, also those not listed."),
        .required(
            "strict", .boolean,
            "Whether what is not as the standard has it was to be refused."),
        .required(
            "removesMuch", .boolean,
            "Whether the plan removes more than a tenth of the people, classes or seats."),
        .required("archiveBytes", .integer(1...Imports.archiveBytesMax)),
        .orNull("fileName", .line(), "What the archive was called where it came from."),
        .orNull(
            "sentBy",
            .fields(
                "ImportSender",
                [
                    .required("kind", .word(["person", "serviceAccount"])),
                    .required("id", .uuid),
                    .orNull("givenName", .line(), "Of a person whom you may see."),
                    .orNull("familyName", .line(), "Of a person whom you may see."),
                    .orNull("nameOrder", .nameOrder, "Of a person whom you may see."),
                    .orNull("name", .line(), "Of a service account."),
                ]), "Absent where a command sent it, or the person was erased."),
        .required("createdAt", .timestamp),
        .required("updatedAt", .timestamp),
        .orNull("startedAt", .timestamp),
        .orNull("finishedAt", .timestamp),
        .orNull("undoneAt", .timestamp, "When it was undone; absent while it stands."),
        .orNull(
            "undoneBy",
            .fields(
                "ImportUndoer",
                [
                    .required("id", .uuid), .required("givenName", .line()),
                    .required("familyName", .line()), .required("nameOrder", .nameOrder),
                ]), "Absent where the operator undid it, or the person was erased."),
    ]

    private static let importFile = ObjectShape(
        "ImportFile",
        [
            .required("name", .word(importFileNames)),
            .required("rows", .integer(0...Int.max)),
            .required("created", .integer(0...Int.max)),
            .required("changed", .integer(0...Int.max)),
            .required("unchanged", .integer(0...Int.max)),
            .required(
                "removed", .integer(0...Int.max),
                "People deactivated, classes archived, seats ended because the archive leaves them out or says "
                    + "so."),
            .required(
                "skipped", .integer(0...Int.max),
                "Rows that are passed over: parents, users who are not enabled, enrolments that are over."
            ),
            .required(
                "leftOut", .integer(0...Int.max),
                "Rows that cannot be used; `warnings` says why. Nobody is removed for it."),
        ])

    private static let importTally = ObjectShape(
        "ImportTally",
        [
            .required(
                "level", .word(ImportTally.Level.allCases.map(\.rawValue)),
                "note: put right. warning: left out, or odd. error: the archive is refused for it."),
            .orNull("file", .text(1...300), "Absent where the archive as a whole is meant."),
            .orNull(
                "column", .text(1...300), "The column's name; absent for notes and whole rows."),
            .required(
                "code",
                .word(
                    ImportNote.allCases.map(\.code) + ImportFinding.Code.allCases.map(\.rawValue))),
            .required("count", .integer(0...Int.max)),
            .required(
                "lines", .array(.integer(1...Int.max), count: 0...ImportTally.linesMax),
                "The first of them."),
        ])

    /// The files of all formats; two of OneRoster's have the same names as Apple's.
    static let importFileNames =
        Template.allCases.map(\.rawValue)
        + OneRosterFile.allCases.map(\.fileName).filter { Template(rawValue: $0) == nil }

    private static let importError = ObjectShape(
        "ImportError",
        [
            .orNull("file", .text(1...300), "Absent where the archive as a whole is meant."),
            .orNull("line", .integer(1...Int.max), "Counted from 1; the header is line 1."),
            .orNull("column", .text(1...300), "The column's name in the header."),
            .required("code", .word(ImportFinding.Code.allCases.map(\.rawValue))),
            .required("text", .text(1...2000)),
        ])
}

extension Shape {
    static let importStatus = Shape.word([
        "queued", "running", "planned", "awaitingApproval", "succeeded", "failed", "undone",
    ])
}
