import Postgres
import School
import TestKit

extension WriteTable {
    static let serviceAccounts: [WriteCase] = [
        WriteCase(.administrator, "makes one", make("Hillside"), is: .done),
        WriteCase(.administrator, "creates one elsewhere", make("Elsewhere"), is: .refused),
        WriteCase(.administrator, "revokes one", revoke("Sync"), is: .done),
        WriteCase(.administrator, "revokes one elsewhere", revoke("Sync elsewhere"), is: .nothing),
        WriteCase(
            .administrator, "renames one",
            "update school.service_account set name = 'New' where name = 'Sync'", is: .done),
        WriteCase(
            .administrator, "renames one elsewhere",
            "update school.service_account set name = 'New' where name = 'Sync elsewhere'",
            is: .nothing),
        WriteCase(
            .administrator, "changes the role of one",
            "update school.service_account set role = 'exporter' where name = 'Sync'", is: .refused),
        WriteCase(
            .administrator, "removes one", "delete from school.service_account", is: .refused),
        WriteCase(
            .administrator, "reads a digest", "select secret_digest from school.service_account",
            is: .refused),
        WriteCase(.peopleManager, "makes one", make("Hillside"), is: .refused),
        WriteCase(.provisioner, "makes one", make("Hillside"), is: .refused),
        WriteCase(.provisioner, "revokes one", revoke("Sync"), is: .refused),
    ]

    private static func make(_ organization: String) -> Statement {
        """
        insert into school.service_account (organization_id, service_account_id, name, role, secret_digest)
        values (test.id(\(organization)), gen_random_uuid(), 'New', 'exporter', sha256('new'))
        """
    }

    private static func revoke(_ name: String) -> Statement {
        "update school.service_account set revoked_at = school.moment() where name = \(name)"
    }
}
