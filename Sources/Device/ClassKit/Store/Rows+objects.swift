import ClassKitUplink
import Foundation

extension CLSContext {
    private var hasPicture: Bool {
        if case .absent = picture { false } else { true }
    }

    /// As the database has it. Called with the lock held.
    func row(at path: [String]) -> ContextRow {
        ContextRow(
            path: path, fields: fields,
            capabilities: capabilities.values.sorted { $0.kind.rawValue < $1.kind.rawValue }
                .map { CapabilityRow(kind: $0.kind, details: $0.details) },
            navigation: navigationPaths, hasThumbnail: hasPicture, created: dateCreated,
            modified: dateLastModified)
    }
}

extension CLSContext {
    /// Takes over what a row says. Called with the lock held.
    func describe(as row: ContextRow) {
        fields = row.fields
        capabilities = Dictionary(
            row.capabilities.map {
                ($0.kind, CLSProgressReportingCapability(kind: $0.kind, details: $0.details))
            }, uniquingKeysWith: { $1 })
        navigation = row.navigation.map { .path($0) }
        picture = row.hasThumbnail ? .stored : .absent
        restoreDates(created: row.created, modified: row.modified)
    }
}

extension CLSActivity {
    /// As the database has it. Called with the lock held.
    func row(at path: [String]) -> ActivityRow {
        ActivityRow(
            id: id, path: path, formerID: formerID, startedAt: startedAt, stoppedAt: stoppedAt,
            modifiedAt: modifiedAt, seconds: duration, ranges: ranges,
            items: ItemRows(primary: primary?.row, additional: additional.compactMap(\.row)),
            created: dateCreated, isRunning: isStarted, isCurrent: !isFinal)
    }
}

extension CLSActivityItem {
    /// As the database has it; `nil` for a class of the app's own.
    var row: ItemRecord? {
        switch self {
        case let item as CLSScoreItem:
            .score(
                identifier: identifier, title: title, score: item.score, maxScore: item.maxScore)
        case let item as CLSQuantityItem:
            .quantity(identifier: identifier, title: title, quantity: item.quantity)
        case let item as CLSBinaryItem:
            .binary(
                identifier: identifier, title: title, value: item.value,
                valueType: item.valueType.word)
        default: nil
        }
    }
}
