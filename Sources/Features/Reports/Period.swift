import API
import Postgres
import School
import Values

/// The period in which a report's handouts were published.
struct Period {
    /// The start of the period; null means no start.
    let start: Statement
    /// The end of the period, exclusive; null means up to now.
    let end: Statement

    /// Reads the query, whose shapes are already checked. A day is a day in the organization's time zone; the last
    /// one belongs to the period. Throws if it ends before it begins, wherever the organization is.
    init(_ request: Request) throws {
        guard Self.isInOrder(request) else {
            throw Problem.invalidParameter(
                "to",
                "The period ends before it begins. Give a day or moment that is not before from."
            )
        }
        start = """
            coalesce(\(request.queryTimestamp("from"))::timestamptz, \
            school.day_begins(\(request.queryDay("from"))::date))
            """
        end = """
            coalesce(\(request.queryTimestamp("to"))::timestamptz, \
            school.day_begins(\(request.queryDay("to"))::date + 1))
            """
    }

    private static func isInOrder(_ request: Request) -> Bool {
        if let from = request.queryDay("from"), let to = request.queryDay("to") {
            return from <= to
        }
        return earliest(request, "from") <= latest(request, "to")
    }

    private static let milliseconds: Int64 = 86_400_000

    /// Days begin up to 14 hours earlier than in UTC, and end up to 12 hours later.
    private static func earliest(_ request: Request, _ name: String) -> Int64 {
        if let day = request.queryDay(name) {
            return Int64(day.daysSince1970) * milliseconds - 14 * 3_600_000
        }
        return request.queryTimestamp(name)?.milliseconds ?? .min
    }

    private static func latest(_ request: Request, _ name: String) -> Int64 {
        if let day = request.queryDay(name) {
            return Int64(day.daysSince1970 + 1) * milliseconds + 12 * 3_600_000
        }
        return request.queryTimestamp(name)?.milliseconds ?? .max
    }

    static let parameters: [Endpoint.Parameter] = [
        .optional(
            "from", .either(.day, .timestamp),
            "Handouts that were published from this day or moment on."),
        .optional(
            "to", .either(.day, .timestamp),
            "Handouts that were published up to the end of this day, or before this moment."),
    ]
}
