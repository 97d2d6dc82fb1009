import Postgres
import School
import TestKit

extension PolicyTable {
    static let catalog: [PolicyRow] = [
        PolicyRow(
            "developer_team",
            """
            select test.called(organization_id) || ': ' || team_id as label from school.developer_team
            """,
            hillside: ["Hillside: QUIZ", "Hillside: READ"], elsewhere: ["Elsewhere: QUIZ"],
            seenBy: [[.administrator]: .all, [.developer]: .only(["Hillside: QUIZ"])]),
        PolicyRow(
            "developer_key",
            """
            select test.called(organization_id) || ': ' || team_id as label from school.developer_key
            """,
            hillside: ["Hillside: QUIZ", "Hillside: READ"], elsewhere: ["Elsewhere: QUIZ"],
            seenBy: [[.administrator]: .all]),
        PolicyRow(
            "developer_bundle",
            """
            select test.called(organization_id) || ': ' || bundle_id as label
              from school.developer_bundle
            """,
            hillside: ["Hillside: org.example.quizzler", "Hillside: org.example.reader"],
            elsewhere: ["Elsewhere: org.example.quizzler"],
            seenBy: [
                [.administrator]: .all, [.developer]: .only(["Hillside: org.example.quizzler"]),
            ]),
        PolicyRow(
            "context", "select title as label from school.context",
            hillside: catalogContexts.union([
                "gone", "native of sam", "native of sue", "shared by cora", "kept by cora",
            ]),
            elsewhere: ["elsewhere"],
            seenBy: [
                [.administrator, .contentManager]: .only(catalogContexts),
                [.teacher]: .only(catalogContexts.union(["shared by cora"])),
                [.student]: .only(["published", "native of sam", "shared by cora"]),
                [.developer]: .only(catalogContexts.subtracting(["of Reader"]).union(["gone"])),
                [.app]: .only([
                    "Quizzler", "published", "for sue", "scheduled", "native of sam",
                ]),
            ]),
    ]

    static let progress: [PolicyRow] = [
        PolicyRow(
            "handout", "select title as label from school.handout",
            hillside: handouts, elsewhere: ["rivers"],
            seenBy: [
                [.teacher]: .only(handoutsOfTom),
                [.student]: .only(["published", "for sam"]),
                [.exporter]: .only(handoutsExported),
            ]),
        PolicyRow(
            "handout_recipient",
            """
            select test.called(handout_id) || ': ' || test.called(person_id) as label
              from school.handout_recipient
            """,
            hillside: ["draft: sam", "for sam: sam", "for sue: sue"], elsewhere: ["rivers: omar"],
            seenBy: [
                [.teacher]: .all,
                [.student]: .only(["for sam: sam"]),
                [.exporter]: .only(["for sam: sam", "for sue: sue"]),
            ]),
        PolicyRow(
            "task", "select title as label from school.task",
            hillside: handouts, elsewhere: ["rivers"],
            seenBy: [
                [.teacher]: .only(handoutsOfTom),
                [.student]: .only(["published", "for sam"]),
                [.exporter]: .only(handoutsExported),
            ]),
        PolicyRow(
            "assignment",
            """
            select test.called(person_id) || ': ' || test.called(task_id) as label
              from school.assignment
            """,
            hillside: assignmentsOfTom.union(["sam: task of deleted", "ben: task of reaction"]),
            elsewhere: ["omar: task of rivers"],
            seenBy: [
                [.teacher]: .only(assignmentsOfTom),
                [.student]: .only(["sam: task of published", "sam: task of deleted"]),
                [.exporter]: .only(assignmentsOfTom.union(["ben: task of reaction"])),
            ]),
        seenThroughLinks(
            "activity", "select test.called(activity_id) as label from school.activity"),
        seenAsLinks(
            "activity_item", "select test.called(activity_id) as label from school.activity_item"),
        seenAsLinks(
            "activity_assignment",
            "select test.called(activity_id) as label from school.activity_assignment"),
        PolicyRow(
            "activity_part", "select test.called(activity_id) as label from school.activity_part",
            hillside: linked, elsewhere: ["omar did rivers"]),
        seenAsLinks(
            "assignment_figures",
            "select test.called(latest_activity_id) as label from school.assignment_figures"),
        PolicyRow(
            "upload_receipt", "select test.called(receipt_id) as label from school.upload_receipt",
            hillside: ["receipt"], elsewhere: ["receipt elsewhere"]),
        PolicyRow(
            "watched_report", "select test.called(handout_id) as label from school.watched_report",
            hillside: ["published"], elsewhere: ["rivers"]),
        PolicyRow(
            "upload", "select test.called(upload_id) as label from school.upload",
            hillside: ["upload of sam"], elsewhere: ["upload of omar"]),
    ]

    private static func seenAsLinks(_ table: String, _ labels: Statement) -> PolicyRow {
        PolicyRow(
            table, labels, hillside: linked, elsewhere: ["omar did rivers"],
            seenBy: [
                [.teacher]: .only(linkedForTom),
                [.student]: .only(["sam did published", "sam did deleted"]),
                [.exporter]: .only(linkedForExport),
            ])
    }

    private static func seenThroughLinks(_ table: String, _ labels: Statement) -> PolicyRow {
        PolicyRow(
            table, labels, hillside: linked.union(["sam did nothing assigned"]),
            elsewhere: ["omar did rivers"],
            seenBy: [
                [.teacher]: .only(linkedForTom),
                [.student]: .only([
                    "sam did published", "sam did deleted", "sam did nothing assigned",
                ]),
                [.exporter]: .only(linkedForExport),
            ])
    }

    private static let catalogContexts: Set<String> = [
        "Quizzler", "published", "in development", "for sue", "scheduled", "of Reader",
    ]
    private static let handouts: Set<String> = [
        "draft", "draft of cora", "published", "for sam", "for sue", "scheduled", "deleted", "old",
        "reaction",
    ]
    private static let handoutsOfTom: Set<String> = [
        "draft", "published", "for sam", "for sue", "scheduled", "old",
    ]
    private static let handoutsExported: Set<String> = [
        "published", "for sam", "for sue", "old", "reaction",
    ]
    private static let assignmentsOfTom: Set<String> = [
        "sam: task of published", "sue: task of published", "lea: task of published",
        "sue: task of for sue",
    ]
    private static let linkedForTom: Set<String> = [
        "sam did published", "sue did published", "lea did published", "sue did for sue",
    ]
    private static let linkedForExport = linkedForTom.union(["ben did reaction"])
    private static let linked = linkedForExport.union(["sam did deleted"])
}
