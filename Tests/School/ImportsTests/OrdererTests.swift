import Crypto
import HTTPWire
import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

@testable import Imports

/// An import runs later as the person or account that ordered it, and only while that still may.
@Suite struct Orderers {
    @Test(arguments: ["every role", "this role", "account"])
    func `an import changes nothing if its orderer has lost the standing`(
        loss: String
    ) async throws {
        try await withSchool { school in
            let importID = try school.store(
                .small, status: "queued", attempts: 0, standing: .peopleManager,
                person: school.id(.petra))
            let petra = school.id(.petra)
            switch loss {
            case "every role":
                try school.sql("delete from school.person_role where person_id = \(petra)")
            case "this role":
                try school.sql(
                    "update school.person_role set role = 'staff' where person_id = \(petra)")
            default:
                try school.sql(
                    """
                    update school.person set deactivated_at = school.moment()
                     where person_id = \(petra)
                    """)
            }
            let before = try school.fingerprint()
            _ = try school.queue().runNext()
            let outcome = try await school.ended("/v1/imports/\(importID.uuid)")
            #expect(outcome.status == "failed")
            #expect(outcome.errorLines == ["-:-:- lost_authority"])
            #expect(try school.fingerprint() == before)
        }
    }

    @Test(arguments: ["revoked", "expired"])
    func `an account that ended before the import ran changes nothing`(
        end: String
    ) async throws {
        try await withSchool { school in
            let account = try school.addAccount()
            let importID = try school.store(
                .small, status: "queued", attempts: 0, account: account)
            let before = try school.fingerprint()
            try school.end(account, end)
            _ = try school.queue().runNext()
            let outcome = try await school.ended("/v1/imports/\(importID.uuid)")
            #expect(outcome.status == "failed")
            #expect(outcome.errorLines == ["-:-:- lost_authority"])
            #expect(try school.fingerprint() == before)
        }
    }

    @Test func `an unknown standing runs nothing, in nobody's name`() async throws {
        try await withSchool { school in
            let importID = try school.store(.small, status: "queued", attempts: 0)
            let claimed = try BlockingConnection(school.ownerURL).query(
                """
                select organization_id, import_id, mode, 'headmaster' as standing, person_id,
                       service_account_id, is_approved, plan_digest
                  from school.import where import_id = \(importID)
                """)
            #expect {
                try ClaimedImport(row: claimed[0])
            } throws: { error in
                guard
                    case PostgresError.unexpected("standing", let detail)? = error as? PostgresError
                else { return false }
                return detail.contains("headmaster")
            }
        }
    }

    @Test func `the event of an import names the account that ordered it`() async throws {
        try await withSchool { school in
            let account = try school.addAccount()
            let caller = Caller(
                organizationID: school.hillside, personID: nil, serviceAccountID: account,
                standings: [.provisioner])
            let bytes = try TestArchive.small.bytes()
            let importID = ImportID(.v7())
            try school.sql(
                .add(importID, mode: "apply", bytes: bytes.count, by: caller), as: caller)
            try school.sql(.add(bytes, at: 0, to: importID, by: caller), as: caller)
            #expect(try school.queue().runNext()?.uuid == importID.uuid)
            let events = try school.sql(
                "select service_account_id, person_id from school.audit_event where kind = 'import'"
            )
            try #require(events.count == 1)
            #expect(try events[0].uuid("service_account_id") == account.uuid)
            #expect(try events[0].optionalUUID("person_id") == nil)
        }
    }

    @Test func `nobody orders an import in the name of another account`() async throws {
        try await withSchool { school in
            let (own, other) = (try school.addAccount(), try school.addAccount())
            func caller(_ account: ServiceAccountID) -> Caller {
                Caller(
                    organizationID: school.hillside, personID: nil, serviceAccountID: account,
                    standings: [.provisioner])
            }
            let statement = Statement.add(
                ImportID(.v7()), mode: "apply", bytes: 1, by: caller(other))
            #expect(throws: PostgresError.self) { try school.sql(statement, as: caller(own)) }
            #expect(try school.sql(statement, as: caller(other)).affected == 1)
        }
    }
}

extension TestSchool {
    /// A provisioner's account of Hillside.
    fileprivate func addAccount() throws -> ServiceAccountID {
        let id = ServiceAccountID(.v7())
        try sql(
            """
            insert into school.service_account (organization_id, service_account_id, name, role, secret_digest)
            values (\(hillside), \(id), 'Records', 'provisioner', sha256('secret'))
            """)
        return id
    }

    fileprivate func end(_ account: ServiceAccountID, _ how: String) throws {
        try sql(
            how == "revoked"
                ? """
                update school.service_account set revoked_at = school.moment()
                 where service_account_id = \(account)
                """
                : """
                update school.service_account set expires_at = now() - interval '1 second'
                 where service_account_id = \(account)
                """)
    }
}
