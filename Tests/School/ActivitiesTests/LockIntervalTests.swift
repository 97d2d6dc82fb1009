import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

@Suite("A lifted lock has closed its interval for good")
struct LockIntervalTests {
    @Test func `work done during the lock is dropped, whenever it arrives`() async throws {
        try await withSchool { school in
            let handout = try school.newHandout(publishedAt: school.ago(100))
            try school.lock(handout, from: 80, to: 60)
            try school.lock(handout, from: 40, to: 20)
            for (start, end, changed, isKept) in [
                (95, 90, 90, true), (78, 62, 62, false), (79, 61, 55, false), (85, 75, 75, false),
                (85, 75, 82, true), (65, 55, 55, true), (65, 55, 62, false), (55, 45, 45, true),
                (39, 21, 19, false), (19, 10, 10, true), (79, 21, 21, false), (79, 21, 50, true),
                (79, 21, 15, true), (110, 101, 90, false),
            ] {
                try school.sql("delete from school.activity")
                try await school.upload([
                    school.attempt(
                        from: school.ago(start), to: school.ago(end), modified: school.ago(changed))
                ])
                #expect(
                    try school.storedCount() == (isKept ? 1 : 0),
                    "\(start) to \(end), changed \(changed)")
            }
        }
    }

    @Test func `work done while its class was archived stays dropped after the class is reopened`()
        async throws
    {
        try await withSchool { school in
            _ = try school.newHandout(publishedAt: school.ago(100))
            for archived in [school.ago(80), nil] {
                try school.sql(
                    """
                    update school.class set archived_at = \(archived) where class_id = \(school.biology)
                    """)
            }
            for (start, changed, isKept) in [(95, 90, true), (78, 62, false), (85, 82, true)] {
                try school.sql("delete from school.activity")
                try await school.upload([
                    school.attempt(
                        from: school.ago(start), to: school.ago(60), modified: school.ago(changed))
                ])
                #expect(try school.storedCount() == (isKept ? 1 : 0), "\(start), \(changed)")
            }
        }
    }

    @Test func `a lock on one handout closes no other`() async throws {
        try await withSchool { school in
            let locked = try school.newHandout(publishedAt: school.ago(100))
            let open = try school.newHandout(by: .cora, publishedAt: school.ago(100))
            try school.lock(locked, from: 80, to: 20)
            try await school.upload([school.attempt(from: school.ago(70), to: school.ago(60))])
            let tasks = try school.sql("select task_id from school.activity_assignment")
            #expect(try tasks.map { try $0.uuid("task_id") } == [open.task.uuid])
        }
    }

    @Test func `lifting a lock keeps its interval, and one lifted at once leaves none`()
        async throws
    {
        try await withSchool { school in
            let handout = try school.newHandout()
            try school.lock(handout, from: 80, to: nil)
            try school.sql("update school.handout set locked_at = null")
            let kept = try school.sql(
                "select locked_at, unlocked_at > now() - interval '1 hour' as is_now from school.handout_lock"
            )
            #expect(kept.count == 1)
            #expect(try kept[0].bool("is_now"))
            try school.sql(
                """
                do $$ begin
                    update school.handout set locked_at = school.moment();
                    update school.handout set locked_at = null;
                end $$
                """)
            #expect(try school.sql("select from school.handout_lock").count == 1)
        }
    }

    @Test func `an app marks nothing done during a lock, and does afterwards`() async throws {
        try await withSchool { school in
            let handout = try school.newHandout()
            try school.lock(handout, from: 90, to: 70)
            try school.lock(handout, from: 60, to: nil)
            let path: JSONValue = .array(TestSchool.context.map(JSONValue.text))
            _ = try await school.post(
                "/v1/me/completions", as: .samsApp, json: ["identifierPath": path])
            #expect(try school.sql("select from school.assignment").isEmpty)
            try school.sql("update school.handout set locked_at = null")
            _ = try await school.post(
                "/v1/me/completions", as: .samsApp, json: ["identifierPath": path])
            #expect(try school.sql("select from school.assignment").count == 1)
        }
    }
}

extension TestSchool {
    /// Locks a handout that many minutes ago, and lifts the lock unless it is to last.
    fileprivate func lock(_ handout: GivenHandout, from start: Int, to end: Int?) throws {
        guard let end else {
            try sql(
                """
                update school.handout set locked_at = \(ago(start)) where handout_id = \(handout.id)
                """)
            return
        }
        try sql(
            """
            insert into school.handout_lock (organization_id, handout_id, locked_at, unlocked_at)
            values (\(hillside), \(handout.id), \(ago(start)), \(ago(end)))
            """)
    }
}
