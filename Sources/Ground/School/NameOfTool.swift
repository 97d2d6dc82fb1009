import API

extension String {
    /// Whether a bundle id begins as the names do under which what tools report is kept; no app has one that does.
    package var isNameOfTool: Bool { utf8.starts(with: "tool:".utf8) }
}

extension Problem {
    /// A bundle id begins as the names of tools do.
    package static func nameOfTool(_ pointer: String) -> Problem {
        .invalid(
            pointer, "reserved_bundle_id",
            "Bundle ids that begin with tool: are reserved for tools. Send your app's own.")
    }
}
