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
    /// one belongs to the period.
    init(_ request: Request) {
        start = """
            coalesce(\(request.queryTimestamp("from"))::timestamptz, \
            school.day_begins(\(request.queryDay("from"))::date))
            """
        end = """
            coalesce(\(request.queryTimestamp("to"))::timestamptz, \
            school.day_begins(\(request.queryDay("to"))::date + 1))
            """
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
