import Postgres
import School

extension FeatureTable {
    /// xAPI statements of apps.
    static let xapi = FeatureTable(
        calls: """
            GET  /xapi/about       anybody
            POST /xapi/statements  .   .   .   .   .   .   .   .   .   .   x
            PUT  /xapi/statements  .   .   .   .   .   .   .   .   .   .   x
            """,
        population: [
            """
            insert into school.statement_receipt (organization_id, statement, content, arrived_at)
            select test.id(o), sha256(o::bytea), sha256('content'), now()
              from unnest(array['Hillside', 'Elsewhere']) as o
            """
        ],
        policies: [
            PolicyRow(
                "statement_receipt",
                """
                select 'receipt of ' || o as label from school.statement_receipt
                  join unnest(array['Hillside', 'Elsewhere']) as o on statement = sha256(o::bytea)
                """,
                hillside: ["receipt of Hillside"], elsewhere: ["receipt of Elsewhere"])
        ],
        rights: [],
        writes: [
            WriteCase(.app, "sends no statements", take, is: .done),
            WriteCase(.student, "sends statements as an app", take, is: .refused),
            WriteCase(.teacher, "sends statements as an app", take, is: .refused),
            WriteCase(.provisioner, "sends statements as an app", take, is: .refused),
            WriteCase(
                .app, "reads receipts", "select statement from school.statement_receipt",
                is: .refused),
            WriteCase(
                .app, "removes receipts", "delete from school.statement_receipt", is: .refused),
            WriteCase(
                .app, "forgets statements", "select school.forget_statements(1)", is: .refused),
            WriteCase(
                .app, "asks how people are known to apps",
                "select school.subject_of(test.id('Hillside'), test.id('sue'), 'org.example.quizzler')",
                is: .refused),
        ])

    private static let take: Statement =
        "select count(*) from school.take_statements('[]')"
}
