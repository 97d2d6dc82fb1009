import API
import HTTPWire

extension Problem {
    static let archiveOfWrongType = Problem(
        415, "unsupported_media_type", "The body should be a zip archive.",
        detail: "Send it with Content-Type: application/zip.")

    /// The limit of archives being received at the same time is reached.
    static let tooManyUploads = Problem(
        503, "too_many_uploads", "Too many archives are being uploaded right now.",
        headers: [ResponseField("Retry-After", "30")])

    /// The organization's queue of imports is full.
    static let tooManyImports = Problem(
        429, "too_many_imports", "Too many imports of your organization are waiting.",
        detail: "They run one at a time. Upload the next one when some are done.",
        headers: [ResponseField("Retry-After", "60")])

    static func importNeedsNoApproval(_ status: String) -> Problem {
        Problem(
            409, "approval_not_awaited", "This import is not waiting for approval.",
            detail: "Its status is \(status).")
    }

    /// A preview whose archive was removed by an erasure.
    static let archiveIsGone = Problem(
        409, "archive_gone", "The archive of this preview was deleted.",
        detail:
            "A person was erased after the upload, and the archive may have named that person. Upload a new one."
    )

    // What cannot be undone.

    static let importNotApplied = Problem(
        409, "import_not_applied", "This import changed nothing.",
        detail: "There is nothing to undo.")

    static let importUndone = Problem(409, "import_undone", "This import was undone before.")

    static let importNotKept = Problem(
        409, "import_not_kept", "What this import replaced is not kept.",
        detail:
            "It was applied more than 30 days ago, changed too many rows, or someone in it has been erased since. "
            + "Import a corrected archive.")

    static let importBuiltOn = Problem(
        409, "import_built_on", "Something has been built on this import since.",
        detail: "Nothing was changed. The same call with dryRun=true says what prevents it.")

    static let otherImportUnderWay = Problem(
        409, "imports_under_way", "Another import is queued or running.",
        detail: "Try again when it is done.")
}
