import Contract
import Values

/// The keys of the texts are the words of the API.
extension ImportStatus: TextKey {
    package static var section: String { "importStatus" }

    func shown(_ texts: Texts) -> HTML {
        switch self {
        case .queued: tag(texts(self), .scheduled, .info)
        case .running: tag(texts(self), .opened, .info)
        case .planned: tag(texts(self), .info, .info)
        case .awaitingApproval: tag(texts(self), .late, .warn)
        case .succeeded: tag(texts(self), .done, .good)
        case .failed: tag(texts(self), .cross, .bad)
        case .undone: tag(texts(self), .returned, .line)
        }
    }

    /// Whether it still works by itself.
    var isUnderWay: Bool { self == .queued || self == .running }
    /// Whether one may order it to be applied.
    var isApprovable: Bool { self == .planned || self == .awaitingApproval }
}

extension Document<ImportSender> {
    /// `nil` where it is not for the visitor to see.
    var shownName: String? {
        self.name ?? FullName(self.givenName, self.familyName, self.nameOrder)?.text
    }

    /// Of a person.
    var personID: String? { self.kind == .person ? self.id : nil }
}

extension Document<ImportUndoer> {
    var fullName: FullName {
        FullName(
            given: self.givenName, family: self.familyName,
            isFamilyFirst: self.nameOrder == .familyFirst)
    }
}

extension Document<ImportFile> {
    /// How many rows are changed in that way.
    func count(_ change: RowChange) -> Int {
        switch change {
        case .removed: self.removed
        case .created: self.created
        case .changed: self.changed
        }
    }
}

extension ImportFormat {
    /// What it is called, in every language.
    var name: String {
        switch self {
        case .appleCSV: "Apple School Manager CSV"
        case .oneRoster1: "OneRoster 1.1"
        case .oneRoster2: "OneRoster 1.2"
        case .schoolDataSync: "Microsoft School Data Sync"
        }
    }
}

extension Document<ImportSummary> {
    /// What another version calls otherwise is at work.
    var state: ImportStatus { self.status.known ?? .running }

    var isPreview: Bool { self.mode == .preview }

    /// Whether it would remove more than a tenth of something, or waits for somebody to look at what it would remove.
    var mayRemoveMuch: Bool { self.removesMuch || state == .awaitingApproval }

    /// The name of the format; empty until it is known.
    var formatName: String { self.format?.known?.name ?? "" }

    /// Until when it can be undone; `nil` for what was not applied.
    var undoableUntil: Timestamp? {
        guard state == .succeeded, let finishedAt = self.finishedAt else { return nil }
        return Timestamp(
            milliseconds: finishedAt.milliseconds
                + ImportUndoPage.days * 86_400_000)
    }

    /// Such as `164 kB`.
    func size(_ texts: Texts) -> String {
        let kilobytes = (self.archiveBytes + 999) / 1000
        guard kilobytes >= 1000 else {
            return texts(ImportsText.kilobytes, ["size": texts.number(kilobytes)])
        }
        return texts(
            ImportsText.megabytes,
            ["size": texts.number(Double(self.archiveBytes) / 1e6, decimals: 1)])
    }
}
