import Shapes
import Values

/// An import that was taken in or approved.
package struct QueuedImport: Record {
    package let id = Member<String>("id", .uuid)
    package let status = Member<Word<ImportStatus>>("status")

    package static let declaration = Declaration(Self())
}

/// An import, as the list of imports has it.
package struct ImportSummary: Record {
    package let id = Member<String>("id", .uuid)
    package let mode = Member<Word<ImportMode>>("mode")
    package let status = Member<Word<ImportStatus>>("status")
    package let format = Member<Word<ImportFormat>?>("format", "Once it is recognised.")
    package let progress = Member<Double>("progress", .number(0...1))
    package let errorCount = Member<Int>(
        "errorCount", .integer(0...Int.max), "All errors, also those not listed.")
    package let warningCount = Member<Int>(
        "warningCount", .integer(0...Int.max), "All warnings, also those not listed.")
    package let strict = Member<Bool>(
        "strict", "Whether what is not as the standard has it was to be refused.")
    package let removesMuch = Member<Bool>(
        "removesMuch", "Whether the plan removes more than a tenth of the people, classes or seats."
    )
    package let archiveBytes = Member<Int>("archiveBytes", .integer(1...ImportLimit.archiveBytes))
    package let fileName = Member<String?>(
        "fileName", .line(), "What the archive was called where it came from.")
    package let sentBy = Member<Document<ImportSender>?>(
        "sentBy", "Absent where a command sent it, or the person was erased.")
    package let createdAt = Member<Timestamp>("createdAt")
    package let updatedAt = Member<Timestamp>("updatedAt")
    package let startedAt = Member<Timestamp?>("startedAt")
    package let finishedAt = Member<Timestamp?>("finishedAt")
    package let undoneAt = Member<Timestamp?>(
        "undoneAt", "When it was undone; absent while it stands.")
    package let undoneBy = Member<Document<ImportUndoer>?>(
        "undoneBy", "Absent where the operator undid it, or the person was erased.")

    package static let declaration = Declaration(Self())
}

/// What an import may have.
package enum ImportLimit {
    /// The size of an archive, in bytes.
    package static let archiveBytes = 1 << 30
    /// How many lines a tally names.
    package static let lines = 3
    /// How many seats of a person are listed.
    package static let seats = 50
}

/// The person or the script that sent an import.
package struct ImportSender: Record {
    package let kind = Member<Word<SenderKind>>("kind")
    package let id = Member<String>("id", .uuid)
    package let givenName = Member<String?>("givenName", .line(), "Of a person whom you may see.")
    package let familyName = Member<String?>("familyName", .line(), "Of a person whom you may see.")
    package let nameOrder = Member<Word<NameOrder>?>("nameOrder", "Of a person whom you may see.")
    package let name = Member<String?>("name", .line(), "Of a service account.")

    package static let declaration = Declaration(Self())
}

/// The person who undid an import.
package struct ImportUndoer: Record {
    package let id = Member<String>("id", .uuid)
    package let givenName = Member<String>("givenName", .line())
    package let familyName = Member<String>("familyName", .line())
    package let nameOrder = Member<Word<NameOrder>>("nameOrder")

    package static let declaration = Declaration(Self())
}

/// An import with what was found in it and what it does.
package struct ImportDetails: Record {
    package let summary = Included<ImportSummary>()
    package let files = Member<[Document<ImportFile>]>(
        "files", count: 0...7, "Empty until the plan is made.")
    package let removals = Member<[Document<ImportRemoval>]>(
        "removals", count: 0...3,
        "How much of what is there the plan removes. Empty until it is made.")
    package let ignoredFiles = Member<[String]>(
        "ignoredFiles", .array(.text(1...100), count: 0...30),
        "Files of the format that are not used and were not stored.")
    package let errors = Member<[Document<ImportError>]>(
        "errors", count: 0...1000, "The first thousand, file by file, from top to bottom.")
    package let warnings = Member<[Document<ImportError>]>(
        "warnings", count: 0...1000,
        "The first thousand of what was left out: rows, values and references that cannot be used. Whom and "
            + "what they are about stays as it is. Also people who hold a role that is not the orderer's to "
            + "give, agents who are not in the list of users, and what is odd: people in a class as what they "
            + "are not in the list of users.")
    package let tallies = Member<[Document<ImportTally>]>(
        "tallies", count: 0...3000,
        "How often something of each kind was wrong, left out or put right, in each file and column."
    )

    package static let declaration = Declaration(Self(), as: "Import")
}

/// What an import does with a file.
package struct ImportFile: Record {
    package let name = Member<Word<ImportFileName>>("name")
    package let rows = Member<Int>("rows", .integer(0...Int.max))
    package let created = Member<Int>("created", .integer(0...Int.max))
    package let changed = Member<Int>("changed", .integer(0...Int.max))
    package let unchanged = Member<Int>("unchanged", .integer(0...Int.max))
    package let removed = Member<Int>(
        "removed", .integer(0...Int.max),
        "People deactivated, classes archived, seats ended because the archive leaves them out or says "
            + "so.")
    package let skipped = Member<Int>(
        "skipped", .integer(0...Int.max),
        "Rows that are passed over: parents, users who are not enabled, enrolments that are over.")
    package let leftOut = Member<Int>(
        "leftOut", .integer(0...Int.max),
        "Rows that cannot be used; `warnings` says why. Nobody is removed for it.")

    package static let declaration = Declaration(Self())
}

/// How much of one kind a plan removes.
package struct ImportRemoval: Record {
    package let kind = Member<Word<RemovalKind>>("kind")
    package let removed = Member<Int>("removed", .integer(0...Int.max))
    package let present = Member<Int>(
        "present", .integer(0...Int.max), "How many there were.")

    package static let declaration = Declaration(Self())
}
