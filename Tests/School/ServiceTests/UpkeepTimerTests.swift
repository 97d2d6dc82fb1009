import EventLoop
import Log
import Postgres
import School
import Synchronization
import TestKit
import Testing
import Values
import WaitKit

@testable import Server
@testable import ServerKit

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
            try school.letClockProveRight()
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
            try school.letClockProveRight()
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

    @Test func `an organization whose removal fails does not hold up the others`() async throws {
        try await withSchool { school in
            _ = try school.newHandout()
            try await school.upload([school.attempt()])
            try school.sql(
                "update school.activity set arrived_at = arrived_at - interval '3 years'")
            try school.sql(
                """
                insert into school.retention_rule (organization_id, kind, years, effective_at)
                select organization_id, 'activities', 2, now() - interval '3 days'
                  from school.organization
                """)
            try school.letClockProveRight()
            let due = try school.sql("select organization_id from school.due_removals()")
            let ids = [school.hillside.uuid, school.elsewhere.uuid]
            #expect(try due.map { try $0.uuid("organization_id") } == ids, "Hillside is first")
            try school.refuseHillside("activity")
            let logged = LoggedLines()
            try await school.withUpkeep(log: logged.log) {
                try await eventually {
                    try school.sql(
                        "select from school.retention_night where finished_at is not null"
                    ).count == 1
                }
                #expect(try school.said("retention_is_late") == [school.hillside])
                #expect(try school.storedCount() == 1)
                try school.sql("drop trigger refuse_hillside on school.activity")
                try await eventually { try school.said("retention_is_late") == [] }
            }
            #expect(try school.storedCount() == 0)
            let failures = logged.lines("old data not removed")
            #expect(failures.first?.contains("refused") == true)
            let others = failures.filter { $0.contains(school.elsewhere.uuid.description) }
            #expect(others == [])
        }
    }

    @Test func `an organization whose deletion fails does not hold up the others`() async throws {
        try await withSchool { school in
            for id in [school.hillside, school.elsewhere] {
                try school.sql("select school.order_deletion(\(id), 30)")
            }
            try school.sql(
                """
                update school.organization_deletion
                   set ordered_at = ordered_at - interval '50 days',
                       due_at = due_at - case organization_id when \(school.hillside) then interval '40 days'
                                                              else interval '39 days' end
                """)
            try school.letClockProveRight()
            #expect(try school.said("deletion_is_late") == [school.hillside, school.elsewhere])
            try school.refuseHillside("person")
            let logged = LoggedLines()
            try await school.withUpkeep(log: logged.log) {
                // The upkeep logs a deletion after it was committed, and loses its connections when this returns.
                try await eventually {
                    !logged.lines("organization deleted").isEmpty
                        && !logged.lines("organization not deleted").isEmpty
                }
            }
            #expect(try school.sql("select from school.organization").count == 1)
            #expect(try school.said("deletion_is_late") == [school.hillside])
            let failures = logged.lines("organization not deleted")
            #expect(failures.first?.contains("refused") == true)
            let others = failures.filter { $0.contains(school.elsewhere.uuid.description) }
            #expect(others == [])
        }
    }
}

/// Collects what a log writes.
final class LoggedLines: Sendable {
    private let written = Mutex<[String]>([])

    var log: Log {
        Log { line in
            self.written.withLock { $0.append(String(decoding: line, as: UTF8.self)) }
        }
    }

    /// The lines with a text in them.
    func lines(_ text: String) -> [String] {
        written.withLock { $0.filter { $0.contains(text) } }
    }
}

extension TestSchool {
    /// Lets every deletion in a table of Hillside fail.
    fileprivate func refuseHillside(_ table: String) throws {
        try sql(
            """
            create function school.refuse_hillside() returns trigger language plpgsql as $$
            begin
                if old.organization_id = (select organization_id from school.organization
                                           where name = 'Hillside') then
                    raise exception 'refused';
                end if;
                return old;
            end $$
            """)
        try BlockingConnection(ownerURL).execute(
            """
            create trigger refuse_hillside before delete on school.\(identifier: table)
                for each row execute function school.refuse_hillside()
            """)
    }

    /// The organizations that a check of doctor names.
    fileprivate func said(_ code: String) throws -> [OrganizationID] {
        let said = try sql(
            "select said from school.deployment_checks() where code = \(code)")[0]
            .optionalText("said")
        return [hillside, elsewhere].filter { said?.contains($0.uuid.description) == true }
    }

    /// Runs the body while the upkeep runs every few milliseconds.
    func withUpkeep(log: Log? = nil, _ body: () async throws -> Void) async throws {
        let loop = try Loop()
        loop.start()
        let pool = Pool(Pool.Settings(ownerURL), on: loop)
        let upkeep = Upkeep(
            loop: loop, database: Database(pools: [pool], clock: .system), features: [],
            key: CredentialKey(at: credentialsKey), log: log,
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
    func leaveEvents() throws {
        for organization in [hillside, elsewhere] {
            try sql(
                """
                select school.write_audit_event(\(organization), 'denial', 'teacher', null, null, null, null,
                                                null, null)
                """)
        }
    }

    func waitForSeals() async throws {
        try await eventually { try sql("select from school.audit_unsealed").count == 0 }
    }
}
