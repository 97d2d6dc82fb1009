import Postgres
import School
import TestKit
import Testing

/// One row of the table of writes: somebody tries something, and what becomes of it.
struct WriteCase: Sendable {
    /// Who tries: the one who stands for a standing, or another teacher than Tom.
    enum Writer: Sendable {
        case standing(Standing)
        case persona(Persona)
    }

    let what: String
    let writer: Writer
    let statement: Statement
    let outcome: Outcome

    init(
        _ standing: Standing, _ action: String, _ statement: Statement, is outcome: Outcome
    ) {
        what = "\(standing) \(action)"
        writer = .standing(standing)
        self.statement = statement
        self.outcome = outcome
    }

    init(by persona: Persona, _ action: String, _ statement: Statement, is outcome: Outcome) {
        what = "\(persona) \(action)"
        writer = .persona(persona)
        self.statement = statement
        self.outcome = outcome
    }
}

/// The rows of the table that are tried in one school.
struct WriteTopic: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let cases: [WriteCase]

    init(_ testDescription: String, _ cases: [WriteCase]) {
        self.testDescription = testDescription
        self.cases = cases
    }
}

@Suite struct Writes {
    static let topics = [
        WriteTopic("directory", WriteTable.directory), WriteTopic("terms", WriteTable.terms),
        WriteTopic("handouts", WriteTable.handouts),
        WriteTopic("assignments", WriteTable.assignments),
        WriteTopic("catalog", WriteTable.catalog), WriteTopic("records", WriteTable.records),
        WriteTopic("licences", WriteTable.licences),
        WriteTopic("service accounts", WriteTable.serviceAccounts),
        WriteTopic("idempotency keys", WriteTable.idempotencyKeys),
    ]

    @Test(arguments: topics)
    func `what a policy does not allow is refused or finds no row`(
        topic: WriteTopic
    ) async throws {
        try await withPopulatedSchool { populated in
            for row in topic.cases {
                let caller =
                    switch row.writer {
                    case .standing(let standing): populated.caller(standing)
                    case .persona(let persona): populated.school.caller(persona)
                    }
                let outcome = try populated.attempt(row.statement, as: caller)
                #expect(outcome == row.outcome, "\(row.what)")
            }
        }
    }
}

/// Namespace of the rows, by feature. Where something is refused, a neighbouring row does the like with
/// success, so that it is the policy that refuses and not a mistake.
enum WriteTable {}
