import Postgres
import Values

/// At which moment a request reads the roster: seats begin and end, and years begin, as time passes.
enum RosterMoment: Sendable {
    case now
    /// That of a snapshot, in which the statement runs.
    case kept(Timestamp)

    /// The one argument of a function of the database that takes a moment.
    var argument: Statement {
        switch self {
        case .now: ""
        case .kept(let moment): "\(moment)"
        }
    }

    /// The same behind other arguments.
    var lastArgument: Statement {
        switch self {
        case .now: ""
        case .kept(let moment): ", \(moment)"
        }
    }
}

/// What the condition of a nested collection depends on: the sourcedIds in the path, and the moment.
struct NestedPath: Sendable {
    let sourcedIDs: [String]
    let moment: RosterMoment

    subscript(_ position: Int) -> String { sourcedIDs[position] }
}
