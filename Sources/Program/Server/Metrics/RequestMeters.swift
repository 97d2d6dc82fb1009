import EventLoop
import HTTPServer
import HTTPWire
import Metrics

/// Counts answered requests by route, method and status, and their durations by route.
///
/// A route is the pattern of a path, never the requested path; requests that match no route count as one more route.
/// Each loop has its own grids, in which the route number and the status select the cell.
final class RequestMeters: Sendable {
    /// The statuses with a cell of their own; all others share one. 499: the client left before its answer.
    private static let statuses = [
        200, 201, 202, 204, 206, 303, 304, 400, 401, 403, 404, 405, 406, 408, 409, 411, 412, 413,
        414,
        415, 416, 417, 421, 422, 426, 428, 429, 431, 499, 500, 501, 502, 503, 504, 505,
    ]

    /// The counts of one loop. One object, so that counting retains one reference instead of four.
    private final class Shard: Sendable {
        let answers: CounterGrid
        let durations: HistogramGrid
        let bytesSent = Counter()
        let bytesReceived = Counter()

        init(rows: Int, columns: Int) {
            answers = CounterGrid(rows: rows, columns: columns)
            durations = HistogramGrid(rows: rows, .requests)
        }
    }

    private let routes: [(method: String, path: String)]
    private let shards: [Shard]
    /// The cell for each status below 600.
    private let columns: [Int]

    /// - Parameter routes: the routes with numbers from 1, in `Service`'s order.
    init(routes: [(method: String, path: String)], loops count: Int) {
        self.routes = [(method: "any", path: "unknown")] + routes
        let rows = self.routes.count
        shards = (0..<count).map { _ in
            Shard(rows: rows, columns: Self.statuses.count + 1)
        }
        columns = (0..<600).map { Self.statuses.firstIndex(of: $0) ?? Self.statuses.count }
    }

    /// Counts an answer; called on a server loop as `HTTPServerSettings.onComplete`.
    func count(_ request: HTTPRequest?, _ status: Int, _ bytes: Int, _ nanoseconds: Int64) {
        let shard = shards[Loop.current?.index ?? 0]
        let route = request?.routeNumber ?? 0
        let column = (0..<600).contains(status) ? columns[status] : Self.statuses.count
        shard.answers.add(row: route, column: column)
        shard.durations.observe(nanoseconds: Int(nanoseconds), row: route)
        shard.bytesSent.add(bytes)
        if let received = request?.body.receivedBytes, received > 0 {
            shard.bytesReceived.add(received)
        }
    }

    /// Exports the counts; leaves out routes and statuses that have not occurred yet.
    func export(to metrics: inout Exposition) {
        metrics.begin(
            .counter, "homeroom_http_requests_total",
            "Answered requests; status 499: the client left before its answer.")
        for (row, route) in routes.enumerated() {
            for column in 0...Self.statuses.count {
                let count = shards.reduce(0) { $0 + $1.answers.value(row: row, column: column) }
                guard count > 0 else { continue }
                let status = column < Self.statuses.count ? "\(Self.statuses[column])" : "other"
                metrics.sample(
                    count,
                    [("route", route.path), ("method", route.method), ("status", status)])
            }
        }
        metrics.begin(
            .histogram, "homeroom_http_request_duration_seconds",
            "From a request's head to the end of its answer.")
        for (row, route) in routes.enumerated() {
            let tallies = shards.map { $0.durations.tally(row: row) }
            let tally = tallies.dropFirst().reduce(tallies[0], +)
            guard tally.count > 0 else { continue }
            metrics.sample(tally, [("route", route.path), ("method", route.method)])
        }
        metrics.counter(
            "homeroom_http_sent_bytes_total", "Bytes of answers, heads included.",
            shards.reduce(0) { $0 + $1.bytesSent.value })
        metrics.counter(
            "homeroom_http_received_body_bytes_total", "Bytes of requests' bodies.",
            shards.reduce(0) { $0 + $1.bytesReceived.value })
    }
}
