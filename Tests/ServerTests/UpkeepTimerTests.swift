import EventLoop
import Postgres
import School
import TestKit
import Testing
import WaitKit

@testable import Server

/// What a server does on its own happens when its time has come, and again after each pause.
@Suite(.timeLimit(.minutes(5))) struct UpkeepTimer {
    @Test func `events are sealed the first time and the next, in each organization`()
        async throws
    {
        try await withSchool { school in
            try await school.withUpkeep {
                for number in 1...3 {
                    try school.leaveEvents()
                    try await school.waitForSeals()
                    let seals = try school.sql(
                        """
                        select count(*) as seals from school.audit_seal group by organization_id
                        """)
                    #expect(seals.count == 2)
                    #expect(try seals.allSatisfy { try $0.int("seals") == number })
                }
            }
        }
    }

    @Test func `outdated rows are removed`() async throws {
        try await withSchool { school in
            try school.sql(
                """
                insert into school.upload_receipt (organization_id, receipt_id, arrived_at)
                values (\(school.hillside), gen_random_uuid(), now() - interval '2 days')
                """)
            try await school.withUpkeep {
                try await eventually {
                    try school.sql("select from school.upload_receipt").count == 0
                }
            }
            #expect(try school.sql("select from school.upload_receipt").count == 0)
        }
    }

    @Test func `rules take what is old, and an organization goes when its time has come`()
        async throws
    {
        try await withSchool { school in
            _ = try school.newHandout()
            try await school.upload([school.attempt()])
            try school.sql(
                "update school.activity set arrived_at = arrived_at - interval '3 years'")
            try school.sql(
                """
                insert into school.retention_rule (organization_id, kind, years, effective_at)
                values (\(school.hillside), 'activities', 2, now() - interval '1 day')
                """)
            try school.sql("select school.order_deletion(\(school.elsewhere), 30)")
            try school.sql(
                """
                update school.organization_deletion
                   set ordered_at = ordered_at - interval '31 days', due_at = due_at - interval '31 days'
                """)
            try await school.withUpkeep {
                try await eventually {
                    try school.storedCount() == 0
                        && school.sql("select from school.organization").count == 1
                }
            }
            #expect(try school.storedCount() == 0)
            let left = try school.sql("select organization_id from school.organization")
            #expect(try left.map { try $0.uuid("organization_id") } == [school.hillside.uuid])
        }
    }
}

extension TestSchool {
    /// Runs the body while the upkeep runs every few milliseconds.
    fileprivate func withUpkeep(_ body: () async throws -> Void) async throws {
        let loop = try Loop()
        loop.start()
        let pool = Pool(Pool.Settings(ownerURL), on: loop)
        let upkeep = Upkeep(
            loop: loop, database: Database(pools: [pool]), features: [], log: nil,
            firstMilliseconds: 20, pauseMilliseconds: 50)
        loop.execute {
            pool.start()
            upkeep.start()
        }
        let outcome: Result<Void, any Error>
        do { outcome = .success(try await body()) } catch { outcome = .failure(error) }
        await withCheckedContinuation { continuation in
            loop.execute {
                upkeep.stop()
                pool.close()
                continuation.resume()
            }
        }
        loop.stop()
        try outcome.get()
    }

    /// One event in each of the two organizations.
    fileprivate func leaveEvents() throws {
        for organization in [hillside, elsewhere] {
            try sql(
                """
                select school.write_audit_event(\(organization), 'denial', 'teacher', null, null, null, null,
                                                null, null)
                """)
        }
    }

    fileprivate func waitForSeals() async throws {
        try await eventually { try sql("select from school.audit_unsealed").count == 0 }
    }
}
