package import ClassKitUplink
package import Foundation
import Synchronization

/// An outbox as a store keeps it, in memory. It outlives the processes that use it.
package final class DeviceStore: Outbox {
    package struct Row<Record: Sendable>: Sendable {
        package var record: Record
        package var revision: Int64
        package var isPending = true
    }

    package struct Content: Sendable {
        package var revision: Int64 = 0
        package var removals: [[String]: Row<[String]>] = [:]
        package var contexts: [[String]: Row<ContextRecord>] = [:]
        package var thumbnails: [[String]: Row<ThumbnailRecord>] = [:]
        /// In the order of their starts.
        package var activities: [Row<ActivityRecord>] = []
        package var completions: [Int64: Row<CompletionRecord>] = [:]
        package var stamps: [UUID: ActivityStamp] = [:]
        package var states: [String: Data] = [:]
        package var mirror: [[String]: MirroredContext] = [:]
        package var unconfirmed: Set<[String]> = []
        package var quarantined: [Refusal] = []
        package var discarded: [Ticket] = []
    }

    package let subject: String
    private let content = Mutex(Content())

    package init(subject: String = "sam") {
        self.subject = subject
    }

    package var now: Content { content.withLock { $0 } }

    package var isEmpty: Bool {
        let now = now
        return now.removals.isEmpty && now.completions.isEmpty
            && !now.contexts.values.contains(where: \.isPending)
            && !now.thumbnails.values.contains(where: \.isPending)
            && !now.activities.contains(where: \.isPending)
    }

    // MARK: What the app does

    package func save(_ context: ContextRecord) {
        content.withLock { content in
            content.revision += 1
            content.removals[context.identifierPath] = nil
            content.contexts[context.identifierPath] = Row(
                record: context, revision: content.revision)
        }
    }

    package func remove(_ path: [String]) {
        content.withLock { content in
            content.revision += 1
            content.contexts = content.contexts.filter { !$0.key.starts(with: path) }
            content.removals[path] = Row(record: path, revision: content.revision)
        }
    }

    package func save(_ thumbnail: ThumbnailRecord) {
        content.withLock { content in
            content.revision += 1
            content.thumbnails[thumbnail.identifierPath] = Row(
                record: thumbnail, revision: content.revision)
        }
    }

    package func complete(_ path: [String], at moment: Moment) {
        content.withLock { content in
            content.revision += 1
            content.completions[content.revision] = Row(
                record: CompletionRecord(identifierPath: path, queuedAt: moment),
                revision: content.revision)
        }
    }

    package func save(_ activity: ActivityRecord) {
        content.withLock { content in
            content.revision += 1
            let row = Row(record: activity, revision: content.revision)
            if let place = content.activities.firstIndex(where: { $0.record.id == activity.id }) {
                content.activities[place] = row
            } else {
                content.activities.append(row)
            }
        }
    }

    // MARK: Outbox

    private func pending<Key, Record>(
        _ rows: [Key: Row<Record>], _ kind: String, _ limit: Int
    ) -> [Outgoing<Record>] {
        rows.filter(\.value.isPending).sorted { $0.value.revision < $1.value.revision }
            .prefix(limit)
            .map { key, row in
                Outgoing(
                    ticket: Ticket(row: "\(kind) \(key)", revision: row.revision),
                    record: row.record)
            }
    }

    package func removals(limit: Int) async throws -> [Outgoing<[String]>] {
        pending(now.removals, "removal", limit)
    }

    package func contexts(limit: Int) async throws -> [Outgoing<ContextRecord>] {
        let now = now
        let removed = now.removals.filter(\.value.isPending).keys
        let sent = now.contexts.filter { path, _ in !removed.contains { path.starts(with: $0) } }
        return pending(sent, "context", limit)
    }

    package func thumbnails(limit: Int) async throws -> [Outgoing<ThumbnailRecord>] {
        let now = now
        let known = now.thumbnails.filter { path, _ in now.contexts[path]?.isPending != true }
        return pending(known, "thumbnail", limit)
    }

    package func completions(limit: Int) async throws -> [Outgoing<CompletionRecord>] {
        pending(now.completions, "completion", limit)
    }

    package func activities(limit: Int) async throws -> [Outgoing<ActivityRecord>] {
        let now = now
        var former: [[String]: Date] = [:]
        var list: [Outgoing<ActivityRecord>] = []
        for row in now.activities {
            var record = row.record
            record.stamp = now.stamps[record.id]
            record.formerModifiedAt = former[record.identifierPath]
            former[record.identifierPath] = record.stamp?.modifiedAt
            guard row.isPending else { continue }
            list.append(
                Outgoing(
                    ticket: Ticket(row: "activity \(record.id)", revision: row.revision),
                    record: record))
        }
        return Array(list.prefix(limit))
    }

    package func stamp(_ stamps: [ActivityStamp]) async throws {
        content.withLock { content in for stamp in stamps { content.stamps[stamp.id] = stamp } }
    }

    package func sent(_ tickets: [Ticket]) async throws {
        content.withLock { content in for ticket in tickets { content.settle(ticket) } }
    }

    package func quarantine(_ refusals: [Refusal]) async throws {
        content.withLock { content in
            content.quarantined += refusals
            for refusal in refusals { content.settle(refusal.ticket) }
        }
    }

    package func discard(_ tickets: [Ticket]) async throws {
        content.withLock { content in
            content.discarded += tickets
            for ticket in tickets { content.settle(ticket) }
        }
    }

    package func state(_ name: String) async throws -> Data? { now.states[name] }

    package func keep(_ state: Data, as name: String) async throws {
        content.withLock { $0.states[name] = state }
    }

    /// The mirror is apart from what the app saves here, so that no page can be older than that.
    package func beginReading() async throws -> Int64 { 0 }

    package func mirror(_ page: MirrorPage) async throws {
        content.withLock { content in
            if page.isFirstOfWhole { content.unconfirmed = Set(content.mirror.keys) }
            for path in page.removed { content.mirror[path] = nil }
            for context in page.contexts {
                content.mirror[context.record.identifierPath] = context
                content.unconfirmed.remove(context.record.identifierPath)
            }
            if page.isLast {
                for path in content.unconfirmed { content.mirror[path] = nil }
                content.unconfirmed = []
            }
            content.states[Uplink.mirrorState] = page.cursor
        }
    }
}

extension DeviceStore.Content {
    /// Takes a row out of the queue unless it has gone on.
    fileprivate mutating func settle(_ ticket: Ticket) {
        removals = removals.filter { $0.value.revision != ticket.revision }
        completions = completions.filter { $0.value.revision != ticket.revision }
        for (path, row) in contexts where row.revision == ticket.revision {
            contexts[path]?.isPending = false
        }
        for (path, row) in thumbnails where row.revision == ticket.revision {
            thumbnails[path]?.isPending = false
        }
        for (place, row) in activities.enumerated() where row.revision == ticket.revision {
            activities[place].isPending = false
        }
    }
}
