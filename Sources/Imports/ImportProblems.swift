import HTTPWire
import School

extension Problem {
    static let archiveOfWrongType = Problem(
        415, "unsupported_media_type", "The body should be a zip archive.",
        detail: "Send it with Content-Type: application/zip.")

    /// As many archives as may be are being received.
    static let tooManyUploads = Problem(
        503, "too_many_uploads", "Too many archives are being handed in right now.",
        headers: [ResponseField("Retry-After", "30")])

    /// As many imports of the organization as may be wait for their turn.
    static let tooManyImports = Problem(
        429, "too_many_imports", "Too many imports of this organization wait for their turn.",
        detail: "They run one after the other; hand in the next when some are done.",
        headers: [ResponseField("Retry-After", "60")])

    static func importNeedsNoApproval(_ status: String) -> Problem {
        Problem(
            409, "approval_not_awaited", "This import does not wait for approval.",
            detail: "Its status is \(status).")
    }

    /// A preview whose archive went with an erasure.
    static let archiveIsGone = Problem(
        409, "archive_gone", "The archive of this preview was deleted.",
        detail:
            "A person was erased since, and the archive may have named that person. Upload a new "
            + "archive.")
}
