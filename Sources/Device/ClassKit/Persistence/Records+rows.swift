import ClassKitUplink
import Foundation

extension ContextRecord {
    /// The context as it is sent.
    init(_ row: ContextRow) {
        self.init(
            identifierPath: row.path, title: row.fields.title, type: row.fields.type.word,
            customTypeName: row.fields.customTypeName,
            displayOrder: Double(row.fields.displayOrder), isAssignable: row.fields.isAssignable,
            progressReportingCapabilities: row.capabilities.map {
                Capability(kind: $0.kind.word, details: $0.details ?? "")
            }, suggestedAge: Bounds(row.fields.suggestedAge),
            suggestedCompletionTime: Bounds(row.fields.suggestedCompletionTime),
            summary: row.fields.summary, topic: row.fields.topic?.rawValue,
            universalLinkURL: row.fields.universalLinkURL?.absoluteString,
            navigationPaths: row.navigation.isEmpty ? nil : row.navigation)
    }
}

extension Bounds {
    /// A bound that no server can hold is no bound.
    init?(_ range: NSRange) {
        guard range != ContextFields.unbounded else { return nil }
        let upper = range.location + range.length - 1
        self.init(lower: range.location, upper: upper > Int(Int32.max) ? nil : upper)
    }
}

extension NSRange {
    init(_ bounds: Bounds?) {
        guard let bounds, let upper = bounds.upper, upper >= bounds.lower else {
            let lower = bounds?.lower ?? 0
            self.init(location: lower, length: ContextFields.unbounded.length - lower)
            return
        }
        self.init(location: bounds.lower, length: upper - bounds.lower + 1)
    }
}

extension ContextRow {
    /// A context as the server has it.
    init(_ context: MirroredContext) {
        let record = context.record
        var fields = ContextFields(
            type: CLSContextType(word: record.type) ?? .none, title: record.title)
        fields.displayOrder = Int(exactly: record.displayOrder.rounded()) ?? 0
        fields.topic = record.topic.map { CLSContextTopic($0) }
        fields.summary = record.summary
        fields.customTypeName = record.customTypeName
        fields.isAssignable = record.isAssignable
        fields.suggestedAge = NSRange(record.suggestedAge)
        fields.suggestedCompletionTime = NSRange(record.suggestedCompletionTime)
        fields.universalLinkURL = record.universalLinkURL.flatMap { URL(string: $0) }
        self.init(
            path: record.identifierPath, fields: fields,
            capabilities: record.progressReportingCapabilities.compactMap { capability in
                CLSProgressReportingCapability.Kind(word: capability.kind).map {
                    CapabilityRow(
                        kind: $0, details: capability.details.isEmpty ? nil : capability.details)
                }
            }, navigation: record.navigationPaths ?? [], origin: context.origin,
            hasThumbnail: context.hasThumbnail, created: context.createdAt,
            modified: context.updatedAt)
    }
}

extension ActivityRecord {
    /// The attempt as it is sent. One that was never started took no time.
    init(_ row: ActivityRow, stamp: ActivityStamp?, formerModifiedAt: Date?) {
        let started = row.startedAt ?? row.modifiedAt
        self.init(
            id: row.id, identifierPath: row.path, startedAt: started,
            stoppedAt: row.isRunning ? nil : row.stoppedAt ?? started,
            modifiedAt: row.modifiedAt, durationSeconds: row.seconds,
            progressRanges: row.ranges.ranges, primaryItem: row.items.primary,
            additionalItems: row.items.additional, stamp: stamp,
            formerModifiedAt: formerModifiedAt)
    }
}
