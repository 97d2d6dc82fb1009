import Crypto
import Postgres
import School
import TestKit
import Values

@testable import Imports

extension TestSchool {
    func queue() throws -> ImportQueue {
        try ImportQueue(target: ownerURL, log: nil)
    }

    /// An import as left by a process that died.
    func store(
        _ archive: TestArchive, status: String, attempts: Int, organization: OrganizationID? = nil,
        standing: Standing = .provisioner, person: PersonID? = nil, account: ServiceAccountID? = nil
    ) throws -> ImportID {
        let importID = ImportID(.v7())
        let organization = organization ?? hillside
        let bytes = try archive.bytes()
        try sql(
            """
            insert into school.import (organization_id, import_id, mode, status, standing, person_id,
                                       service_account_id, archive_bytes, attempts)
            values (\(organization), \(importID), 'apply', \(status), \(standing.rawValue), \(person),
                    \(account), \(bytes.count), \(attempts))
            """)
        for (position, piece) in [bytes.prefix(1000), bytes.dropFirst(1000)].enumerated() {
            try sql(
                """
                insert into school.import_archive (organization_id, import_id, position, bytes)
                values (\(organization), \(importID), \(position), \(Array(piece)))
                """)
        }
        return importID
    }
}
