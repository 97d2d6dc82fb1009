import Postgres
import School
import TestKit
import Values

extension TestSchool {
    /// A token with which another system of Elsewhere reads its roster.
    func addReaderElsewhere() throws -> String {
        try addReader(0, in: elsewhere)
    }

    /// A token with which one more system of Hillside reads its roster.
    func addReader(_ number: Int, of account: UUID? = nil) throws -> String {
        try addReader(number, in: hillside, of: account)
    }

    private func addReader(
        _ number: Int, in organization: OrganizationID, of account: UUID? = nil
    ) throws -> String {
        let token = "the token of reader number \(number)"
        try sql(
            """
            insert into school.access_token (organization_id, digest, standing, service_account_id, expires_at)
            values (\(organization), sha256(convert_to(\(token), 'UTF8')), 'rosterReader', \(account),
                    now() + interval '1 day')
            """)
        return token
    }
}
