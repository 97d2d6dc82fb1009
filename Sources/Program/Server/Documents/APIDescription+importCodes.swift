import API

extension APIDescription {
    /// Archives from an information system.
    static let ofImports: [Code] = [
        Code(
            "approval_not_awaited",
            "The import is not waiting for approval; `detail` gives its status."),
        Code(
            "archive_gone", "The archive was deleted because a person was erased. Upload a new one."
        ),
        Code(
            "import_built_on",
            "Something was built on the import since, so it cannot be undone. A dry run says what."
        ),
        Code("import_not_applied", "The import changed nothing, so there is nothing to undo."),
        Code(
            "import_not_kept",
            "What the import replaced is not kept any more, so it cannot be undone."),
        Code("import_undone", "The import was undone before."),
        Code(
            "imports_under_way",
            "Imports are queued or running, which an erasure or an undo would contradict. Wait for them."
        ),
    ]
}
