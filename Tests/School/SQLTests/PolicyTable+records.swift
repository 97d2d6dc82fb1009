import Postgres
import School
import TestKit

extension PolicyTable {
    static let records: [PolicyRow] = [
        PolicyRow(
            "import", "select test.called(import_id) as label from school.import",
            hillside: ["import"], elsewhere: ["import elsewhere"],
            seenBy: [Standing.directoryManagers: .all]),
        PolicyRow(
            "import_archive", "select test.called(import_id) as label from school.import_archive",
            hillside: ["import"], elsewhere: ["import elsewhere"],
            seenBy: [Standing.directoryManagers: .all]),
        PolicyRow(
            "import_file", "select test.called(import_id) as label from school.import_file",
            hillside: ["import"], elsewhere: ["import elsewhere"],
            seenBy: [Standing.directoryManagers: .all]),
        PolicyRow(
            "import_problem", "select test.called(import_id) as label from school.import_problem",
            hillside: ["import"], elsewhere: ["import elsewhere"],
            seenBy: [Standing.directoryManagers: .all]),
        PolicyRow(
            "import_change", "select test.called(import_id) as label from school.import_change",
            hillside: ["import"], elsewhere: ["import elsewhere"],
            seenBy: [Standing.directoryManagers: .all]),
        PolicyRow(
            "import_undo", "select test.called(import_id) as label from school.import_undo",
            hillside: ["import"], elsewhere: ["import elsewhere"]),
        PolicyRow(
            "import_turn", "select test.called(organization_id) as label from school.import_turn",
            hillside: ["Hillside"], elsewhere: ["Elsewhere"]),
        PolicyRow(
            "export_snapshot",
            "select test.called(organization_id) as label from school.export_snapshot",
            hillside: ["Hillside"], elsewhere: ["Elsewhere"],
            seenBy: [[.exporter, .administrator, .siteManager, .peopleManager]: .all]),
        PolicyRow(
            "export", "select test.called(export_id) as label from school.export",
            hillside: ["export"], elsewhere: ["export elsewhere"], seenBy: [[.exporter]: .all]),
        PolicyRow(
            "deletion", "select test.called(deletion_id) as label from school.deletion",
            hillside: ["deletion"], elsewhere: ["deletion elsewhere"],
            seenBy: [[.exporter]: .all]),
        PolicyRow(
            "audit_event", "select test.called(organization_id) as label from school.audit_event",
            hillside: ["Hillside"], elsewhere: ["Elsewhere"],
            seenBy: [[.administrator, .siteManager, .peopleManager]: .all]),
        PolicyRow(
            "audit_seal", "select test.called(organization_id) as label from school.audit_seal",
            hillside: ["Hillside"], elsewhere: ["Elsewhere"]),
        PolicyRow(
            "audit_unsealed",
            "select test.called(organization_id) as label from school.audit_unsealed",
            hillside: ["Hillside"], elsewhere: ["Elsewhere"]),
        PolicyRow(
            "idempotency_key", "select key as label from school.idempotency_key",
            hillside: [
                "of tom", "of cora", "of sam", "of the app of sam", "of another app of sam",
                "of the provisioner",
            ], elsewhere: ["of otto"],
            seenBy: [
                [.teacher]: .only(["of tom"]), [.student]: .only(["of sam"]),
                [.app]: .only(["of the app of sam"]),
                [.provisioner]: .only(["of the provisioner"]),
            ]),
    ]
}
