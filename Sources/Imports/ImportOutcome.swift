import Values

/// What became of an archive.
package struct ImportOutcome: Sendable {
    /// What one file does or did to the directory, in rows.
    package struct File: Sendable, Equatable {
        package let name: String
        /// How many rows it holds.
        package let rows: Int
        package let created: Int
        package let changed: Int
        package let unchanged: Int
        package let removed: Int

        var changesAnything: Bool { created + changed + removed > 0 }
    }

    package enum Status: String, Sendable, CaseIterable {
        case planned, awaitingApproval, succeeded, failed
    }

    package let status: Status
    package let files: [File]
    /// The first thousand.
    package let errors: [ImportFinding]
    package let errorCount: Int
    package let endedAt: Timestamp
}
