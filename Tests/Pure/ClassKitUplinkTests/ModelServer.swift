import ClassKitUplink
import Foundation
import Synchronization

/// A server in the process, as far as apps see one, and its report.
final class ModelServer: Transport {
    /// One report of an activity.
    struct Part: Decodable, Equatable, Sendable {
        var id: String
        var identifierPath: [String]
        var startedAt: Date
        var stoppedAt: Date?
        var durationSeconds: Double
        var progressRanges: [ProgressRange]
        var primaryItem: ItemRecord?
        var additionalItems: [ItemRecord]
        var modifiedAt: Date
    }

    /// What a teacher would see of an attempt.
    struct Attempt: Equatable, Sendable, CustomStringConvertible {
        var id: String
        var path: [String]
        var durationSeconds: Double
        var ranges: [ProgressRange]
        var items: [ItemRecord]
        var isStopped: Bool

        var description: String {
            "\(id.suffix(4)) \(path) \(durationSeconds) s, \(ranges), \(items), \(isStopped)"
        }
    }

    struct Content: Sendable {
        /// The server's clock.
        var time = Date(timeIntervalSince1970: 1_790_000_000)
        var saysTime = true
        /// By token.
        var tokens = ["good": "sam"]
        /// In whose name, by path.
        var contexts: [String: [[String]: ContextRecord]] = [:]
        var thumbnails: [String: [[String]: Data]] = [:]
        var parts: [String: [Part]] = [:]
        var completions: [String: Set<[String]>] = [:]
        /// What was done with which key.
        var keyed: [String: (request: String, body: Data?, answer: HTTPAnswer)] = [:]
        /// Every call that arrived: method, path and size.
        var calls: [(call: HTTPCall, items: Int)] = []
        /// Answers instead of the server's own, first to last.
        var scripted: [HTTPAnswer] = []
        var maximumItems = 500
        var sentAts: [Date] = []
        var changes: [HTTPAnswer] = []
    }

    let content = Mutex(Content())

    var now: Content { content.withLock { $0 } }

    func script(_ answers: HTTPAnswer...) {
        content.withLock { $0.scripted += answers }
    }

    func answer(to call: HTTPCall) async throws -> HTTPAnswer {
        content.withLock { content in
            var answer =
                content.scripted.isEmpty ? content.answer(call) : content.scripted.removeFirst()
            content.calls.append((call, content.items(call)))
            if content.saysTime { answer.headers["date"] = Self.text(content.time) }
            return answer
        }
    }

    /// Attempts as they count, by the rules of the server: a part counts if it is before the next attempt.
    func report(of subject: String) -> [Attempt] {
        let parts = now.parts[subject] ?? []
        var attempts: [(start: Date, attempt: Attempt)] = []
        let starts = Dictionary(grouping: parts, by: \.id).mapValues {
            (path: $0[0].identifierPath, start: $0.map(\.startedAt).min() ?? .distantPast)
        }
        for (id, own) in Dictionary(grouping: parts, by: \.id) {
            let (path, start) = starts[id] ?? ([], .distantPast)
            let next =
                starts.values.filter { $0.path == path && $0.start > start }.map(\.start)
                .min() ?? .distantFuture
            let counting = own.filter { $0.modifiedAt < next }.sorted {
                $0.modifiedAt < $1.modifiedAt
            }
            guard let last = counting.last else { continue }
            attempts.append(
                (
                    start,
                    Attempt(
                        id: id, path: path,
                        durationSeconds: counting.map {
                            min($0.durationSeconds, $0.modifiedAt.timeIntervalSince($0.startedAt))
                        }.max() ?? 0, ranges: Self.union(counting.flatMap(\.progressRanges)),
                        items: (last.primaryItem.map { [$0] } ?? []) + last.additionalItems,
                        isStopped: last.stoppedAt != nil)
                ))
        }
        // In their order at each context.
        return attempts.sorted {
            ("\($0.attempt.path)", $0.start) < ("\($1.attempt.path)", $1.start)
        }
        .map(\.attempt)
    }

    /// As servers write it: whole seconds.
    private static func text(_ date: Date) -> String {
        let seconds = Int(date.timeIntervalSince1970)
        let (days, rest) = (seconds / 86_400, seconds % 86_400)
        let weekday = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"][days % 7]
        let iso = Date(timeIntervalSince1970: Double(days) * 86_400).formatted(.iso8601)
        let parts = iso.prefix(10).split(separator: "-")
        let month = months[(Int(parts[1]) ?? 1) - 1]
        let clock = [rest / 3600, rest / 60 % 60, rest % 60].map {
            ($0 < 10 ? "0" : "") + String($0)
        }
        return "\(weekday), \(parts[2]) \(month) \(parts[0]) \(clock.joined(separator: ":")) GMT"
    }

    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    private static func union(_ ranges: [ProgressRange]) -> [ProgressRange] {
        var union: [ProgressRange] = []
        for range in ranges.sorted(by: { $0.start < $1.start }) {
            if let last = union.last, range.start <= last.end {
                union[union.count - 1].end = max(last.end, range.end)
            } else {
                union.append(range)
            }
        }
        return union
    }
}

extension HTTPAnswer {
    static func problem(_ status: Int, _ json: String = "{}", retryAfter: Int? = nil) -> HTTPAnswer
    {
        HTTPAnswer(
            status: status, headers: retryAfter.map { ["Retry-After": "\($0)"] } ?? [:],
            body: Data(json.utf8))
    }
}
