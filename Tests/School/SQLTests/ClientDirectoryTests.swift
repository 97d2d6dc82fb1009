import Postgres
import School
import TestKit
import Testing
import Values

@Suite struct ClientDirectory {
    @Test func `an administrator cannot take the id of a client of another organization`()
        async throws
    {
        try await withPopulatedSchool { populated in
            let theirs = try populated.school.sql(
                "select service_account_id as id from school.service_account where name = 'Sync elsewhere'"
            )[0].uuid("id")
            let ada = populated.caller(.administrator)
            #expect(throws: PostgresError.self) { try populated.attempt(system(theirs), as: ada) }
            let free = try populated.school.sql("select gen_random_uuid() as id")[0].uuid("id")
            #expect(try populated.attempt(system(free), as: ada) == .done)
        }
    }

    @Test func `a removed client leaves the directory`() async throws {
        try await withPopulatedSchool { populated in
            let count: Statement = "select count(*) as count from school.client_directory"
            let before = try populated.school.sql(count)[0].int("count")
            let removed = try populated.school.sql("delete from school.sign_in_provider").affected
            #expect(removed > 0)
            let after = try populated.school.sql(count)[0].int("count")
            #expect(after == before - removed)
        }
    }

    private func system(_ id: Values.UUID) -> Statement {
        """
        insert into school.connected_system (organization_id, connected_system_id, name, redirect_uris,
                                             secret_digest)
        values (test.id('Hillside'), \(id), 'New', array['https://new.example/'], sha256('new'))
        """
    }
}
