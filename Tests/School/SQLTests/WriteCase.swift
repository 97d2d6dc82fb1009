import Postgres
import School
import TestKit
import Testing

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
        WriteTopic("plain features", FeatureTable.all.flatMap(\.writes)),
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

/// Namespace of the rows, by feature. Where something is refused, a neighbouring row does something similar with
/// success, so that it is the policy that refuses and not a mistake.
enum WriteTable {}
