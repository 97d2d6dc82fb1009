import Contract
import Values

@testable import Pages

/// Imports as the API might answer them.
enum FakeImports {
    static func summary(
        _ status: ImportStatus, at moment: String = "2026-11-22T02:10:00.000Z",
        _ write: (inout Writing<ImportSummary>) -> Void = { _ in }
    ) -> Document<ImportSummary> {
        Document {
            $0.id = "i1"
            $0.mode = .apply
            $0.status = status
            $0.progress = 1
            $0.errorCount = 0
            $0.warningCount = 0
            $0.strict = false
            $0.removesMuch = false
            $0.archiveBytes = 164_200
            $0.createdAt = Timestamp(moment)!
            $0.updatedAt = Timestamp(moment)!
            write(&$0)
        }
    }

    static func details(
        _ status: ImportStatus, at moment: String = "2026-11-22T02:10:00.000Z",
        _ write: (inout Writing<ImportDetails>) -> Void
    ) -> Document<ImportDetails> {
        Document {
            $0.summary = Writing(summary(status, at: moment) { $0.format = .appleCSV })
            $0.files = []
            $0.removals = []
            $0.ignoredFiles = []
            $0.errors = []
            $0.warnings = []
            $0.tallies = []
            write(&$0)
        }
    }

    static func file(
        _ name: ImportFileName, rows: Int, created: Int = 0, changed: Int = 0,
        unchanged: Int = 0, removed: Int = 0
    ) -> Document<ImportFile> {
        Document {
            $0.name = name
            $0.rows = rows
            $0.created = created
            $0.changed = changed
            $0.unchanged = unchanged
            $0.removed = removed
            $0.skipped = 0
            $0.leftOut = 0
        }
    }

    static let queued = Document<QueuedImport> {
        $0.id = "i1"
        $0.status = .queued
    }
}

extension FakeAPI {
    /// An answer that has what its record declares.
    static func answer(_ document: some Answered, status: Int = 200) -> Answer {
        (status, document.json)
    }
}
