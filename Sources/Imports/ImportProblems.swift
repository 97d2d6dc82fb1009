import School

extension Problem {
    static let archiveOfWrongType = Problem(
        415, "unsupported_media_type", "The body should be a zip archive.",
        detail: "Send it with Content-Type: application/zip.")

    static func importNeedsNoApproval(_ status: String) -> Problem {
        Problem(
            409, "approval_not_awaited", "This import does not wait for approval.",
            detail: "Its status is \(status).")
    }
}
