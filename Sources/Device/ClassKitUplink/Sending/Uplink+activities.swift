import Foundation

extension Uplink {
    /// The server takes nothing that is older than 30 days.
    private static let longestWait = 30.0 * 86_400

    func sendActivities(_ batch: [Outgoing<ActivityRecord>]) async throws {
        try await learnTime()
        let now = clock.now
        let fresh = try await fresh(batch) { $0.stoppedAt ?? $0.modifiedAt }
        guard let serverClock, serverClock.time(at: now, now: now) != nil else {
            // The server says no time: it has to correct those of the device.
            let sent = try await pieces(fresh) { record in
                (
                    SentActivity(record, Times(record)) { $0.wall },
                    record.id.uuidString.lowercased()
                )
            }
            return try await deliver(
                sent, Delivery(path: "/v1/activities", list: "activities", saysSending: true))
        }
        func time(_ moment: Moment) -> Date { serverClock.time(at: moment, now: now) ?? now.wall }
        var times: [UUID: Times] = [:]
        var former: [[String]: Date] = [:]
        for item in fresh {
            let record = item.record
            let fixed = Times(record, former: former[record.identifierPath], time)
            times[record.id] = fixed
            former[record.identifierPath] = fixed.modifiedAt
        }
        // Durable before the bytes leave: a process that dies now must send the same times again.
        try await outbox.stamp(
            fresh.compactMap { item in times[item.record.id]?.stamp(item.record) })
        let sent = try await pieces(fresh) { record in
            (
                SentActivity(record, times[record.id] ?? Times(record), time),
                record.id.uuidString.lowercased()
            )
        }
        try await deliver(sent, Delivery(path: "/v1/activities", list: "activities"))
    }

    /// Asks the server for the time if it is not known.
    private func learnTime() async throws {
        let now = clock.now
        let known = try await knownClock()
        serverClock = known
        guard known.time(at: now, now: now) == nil else { return }
        let answer = try await perform(HTTPCall("GET", configuration.address("/healthz")))
        if answer.status == 429 || answer.status >= 500 { throw Self.pause(answer) }
    }

    /// Leaves out what the server would not take any more. What is not certain to be too old is for the server to judge.
    func fresh<Record>(
        _ batch: [Outgoing<Record>], _ moment: (Record) -> Moment
    ) async throws -> [Outgoing<Record>] {
        let now = clock.now
        let known = try await knownClock()
        var expired: [Ticket] = []
        let fresh = batch.filter { item in
            if known.age(of: moment(item.record), now: now) ?? 0 <= Self.longestWait { return true }
            expired.append(item.ticket)
            return false
        }
        if !expired.isEmpty {
            try await outbox.discard(expired)
            notify(.expired(expired.count))
        }
        return fresh
    }
}

/// The times of an activity as they are sent.
struct Times: Equatable {
    let startedAt: Date
    let modifiedAt: Date

    /// Those of the device.
    init(_ record: ActivityRecord) {
        startedAt = record.startedAt.wall
        modifiedAt = record.modifiedAt.wall
    }

    /// In the server's time. They stay as they were sent first, a new part comes after the former one, and an attempt
    /// begins after the last part of the attempt before it.
    init(_ record: ActivityRecord, former: Date?, _ time: (Moment) -> Date) {
        let floor = [former, record.formerModifiedAt].compactMap { $0 }.max()?
            .addingTimeInterval(Self.step)
        let duration = record.durationSeconds.isFinite ? record.durationSeconds : 0
        let last = Self.whole(time(record.modifiedAt))
        // The server counts no more than the time between the two.
        let first = min(
            Self.whole(time(record.startedAt)),
            Self.whole(last.addingTimeInterval(-duration), .down))
        startedAt = record.stamp?.startedAt ?? Self.latest(first, floor)
        if let stamp = record.stamp, stamp.revisedAt == record.modifiedAt {
            modifiedAt = stamp.modifiedAt
            return
        }
        modifiedAt = Self.latest(
            max(last, Self.whole(startedAt.addingTimeInterval(duration), .up)),
            record.stamp?.modifiedAt.addingTimeInterval(Self.step))
    }

    func stamp(_ record: ActivityRecord) -> ActivityStamp {
        ActivityStamp(
            id: record.id, startedAt: startedAt, modifiedAt: modifiedAt,
            revisedAt: record.modifiedAt)
    }

    private static let step = 0.001

    /// A whole number of milliseconds, which is what is sent.
    private static func whole(
        _ date: Date, _ rule: FloatingPointRoundingRule = .toNearestOrAwayFromZero
    ) -> Date {
        Date(timeIntervalSince1970: (date.timeIntervalSince1970 * 1000).rounded(rule) / 1000)
    }

    private static func latest(_ date: Date, _ other: Date?) -> Date {
        other.map { max(date, $0) } ?? date
    }
}

/// An activity as the server reads it (`ActivityPart`).
struct SentActivity: Encodable {
    let id: String
    let identifierPath: [String]
    let startedAt: Date
    let stoppedAt: Date?
    let durationSeconds: Double
    let progressRanges: [ProgressRange]
    let primaryItem: ItemRecord?
    let additionalItems: [ItemRecord]
    let modifiedAt: Date

    init(_ record: ActivityRecord, _ times: Times, _ time: (Moment) -> Date) {
        id = record.id.uuidString.lowercased()
        identifierPath = record.identifierPath
        startedAt = times.startedAt
        stoppedAt = record.stoppedAt.map { max(times.startedAt, min(time($0), times.modifiedAt)) }
        durationSeconds = max(0, record.durationSeconds)
        progressRanges = Ranges.merged(record.progressRanges)
        primaryItem = record.primaryItem
        additionalItems = record.additionalItems
        modifiedAt = times.modifiedAt
    }
}
