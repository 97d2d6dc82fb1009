import Contract
import Values

/// The result of an archive.
package struct ImportOutcome: Sendable {
    /// What one file changes or changed in the directory, in rows.
    package struct File: Sendable, Equatable {
        package let name: String
        /// How many rows it holds.
        package let rows: Int
        package let created: Int
        package let changed: Int
        package let unchanged: Int
        package let removed: Int
        /// Valid rows that bring no person and no record here, such as parents.
        package let skipped: Int
        /// Rows that could not be used. Whom and what they are about stays as it was.
        package var leftOut = 0

        var changesAnything: Bool { created + changed + removed > 0 }
    }

    /// How much of one kind of record an import removes.
    package struct Removal: Sendable, Equatable {
        /// The share of people, classes or seats that an import may remove without approval.
        static let shareMax = 0.1

        /// `people`, `classes` or `seats`.
        package let kind: String
        package let removed: Int
        /// How many there are before.
        package let present: Int

        var isMuch: Bool { Double(removed) > Self.shareMax * Double(present) }
    }

    package enum Status: String, Sendable, CaseIterable {
        case planned, awaitingApproval, succeeded, failed
    }

    package let status: Status
    /// `nil` if it was not recognised.
    package let format: ImportFormat?
    package let files: [File]
    /// Files of the format that are not used.
    package let ignoredFiles: [String]
    /// The first thousand.
    package let errors: [ImportFinding]
    package let errorCount: Int
    /// How often something of each kind was put right, left out or wrong.
    package var tallies: [ImportTally] = []
    /// What was left out or is odd: the first thousand.
    package var warnings: [ImportFinding] = []
    package var warningCount = 0
    /// Once there is a plan.
    package var removals: [Removal] = []
    /// The digest of the plan that a preview shows.
    package var planDigest: [UInt8]?
    package let endedAt: Timestamp

    var removesMuch: Bool { removals.contains(where: \.isMuch) }
}
