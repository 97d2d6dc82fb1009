import Postgres
import School

/// One row of the table of writes: a caller tries something, and what becomes of it.
package struct WriteCase: Sendable {
    /// Who tries: the representative of a standing, or another teacher than Tom.
    package enum Writer: Sendable {
        case standing(Standing)
        case persona(Persona)
    }

    package let what: String
    package let writer: Writer
    package let statement: Statement
    package let outcome: Outcome

    package init(
        _ standing: Standing, _ action: String, _ statement: Statement, is outcome: Outcome
    ) {
        what = "\(standing) \(action)"
        writer = .standing(standing)
        self.statement = statement
        self.outcome = outcome
    }

    package init(by persona: Persona, _ action: String, _ statement: Statement, is outcome: Outcome)
    {
        what = "\(persona) \(action)"
        writer = .persona(persona)
        self.statement = statement
        self.outcome = outcome
    }
}

/// The outcome of a statement.
package enum Outcome: Sendable {
    case done
    /// The row is not there for this caller.
    case nothing
    /// No right, or a row that would violate a policy.
    case refused
}
