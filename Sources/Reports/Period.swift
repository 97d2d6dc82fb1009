import Postgres
import School
import Values

/// From when to when the handouts of a report were published.
struct Period {
    /// Gives the moment from which on; null: from the first.
    let start: Statement
    /// Gives the moment before which; null: up to now.
    let end: Statement

    /// What a query says, its shapes already checked. A day is one where the organization is; the last one
    /// belongs to the period.
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
