import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

/// An upload that cannot be stored does not keep others from being stored, and is not lost.
@Suite("uploads that cannot be stored")
struct FailingUploadTests {
    /// What storing Sam's uploads at a path fails with from now on; `nil` if it succeeds.
    private func fail(_ school: TestSchool, with sqlState: String?) throws {
        try school.sql("drop trigger if exists fail on school.activity")
        guard let sqlState else { return }
        let function: Command =
            """
            create or replace function school.fail() returns trigger language plpgsql as
            $$ begin
                if new.identifier_path = '{unit-2,check-2}' then
                    raise exception 'no' using errcode = \(literal: sqlState);
                end if;
                return new;
            end $$
            """
        try BlockingConnection(school.ownerURL).execute(function)
        try school.sql(
            """
            create trigger fail before insert on school.activity
                for each row execute function school.fail()
            """)
    }

    private func state(
        _ school: TestSchool
    ) throws -> (attempts: Int, failure: String?, isAside: Bool) {
        let row = try school.sql(
            "select attempts, failure, failed_at is not null as is_aside from school.upload")[0]
        return (
            try row.int("attempts"), try row.optionalText("failure"), try row.bool("is_aside")
        )
    }

    private func said(_ school: TestSchool) throws -> String? {
        try school.sql(
            "select said from school.deployment_checks() where code = 'uploads_not_stored'")[0]
            .optionalText("said")
    }

    @Test func `an upload that always fails is kept, counted and reported, and others are stored`()
        async throws
    {
        try await withSchool { school in
            _ = try school.newHandout()
            _ = try school.newHandout(path: ["unit-2", "check-2"])
            try fail(school, with: "22003")
            #expect(try said(school) == nil)
            try await school.leave([school.attempt(at: ["unit-2", "check-2"])])
            try await school.leave([school.attempt()])
            try await school.leave([school.attempt()], as: .suesApp)
            try await school.storeUploads()
            #expect(try school.storedCount() == 1)
            #expect(try school.storedCount(of: .sue) == 1)
            #expect(try school.inboxCount() == 1)
            let kept = try state(school)
            #expect(kept.attempts == 1 && kept.failure == "22003" && kept.isAside)
            let complaint = try said(school)
            #expect(complaint?.contains("(SQLSTATE 22003)") == true, "\(complaint ?? "nothing")")

            try fail(school, with: nil)
            try await school.upload([school.attempt()])
            #expect(try school.inboxCount() == 1, "it is left aside")
            try school.sql("select school.retry_failed_uploads()")
            try await school.upload([school.attempt()])
            #expect(try school.inboxCount() == 0)
            #expect(try school.storedCount() == 4)
            #expect(try said(school) == nil)
        }
    }

    @Test func `a failing upload among others of its person is found, and the others are stored`()
        async throws
    {
        try await withSchool { school in
            _ = try school.newHandout()
            _ = try school.newHandout(path: ["unit-2", "check-2"])
            try fail(school, with: "22003")
            for number in 0..<7 {
                try await school.leave([
                    school.attempt(at: number == 3 ? ["unit-2", "check-2"] : TestSchool.context)
                ])
            }
            try await school.storeUploads()
            #expect(try school.storedCount() == 6)
            #expect(try school.inboxCount() == 1)
            let kept = try state(school)
            #expect(kept.attempts == 1 && kept.failure == "22003" && kept.isAside)
        }
    }

    @Test(arguments: ["40P01", "55P03", "57014"])
    func `an upload that failed because of others is stored once they are gone`(
        sqlState: String
    ) async throws {
        try await withSchool { school in
            _ = try school.newHandout(path: ["unit-2", "check-2"])
            try fail(school, with: sqlState)
            try await school.leave([school.attempt(at: ["unit-2", "check-2"])])
            try await school.storeUploads()
            let kept = try state(school)
            #expect(kept.attempts > 0 && kept.failure == sqlState && !kept.isAside)
            #expect(try school.storedCount() == 0)

            try fail(school, with: nil)
            try school.sql("update school.upload set retry_at = now()")
            try await school.upload([school.attempt()], as: .suesApp)
            #expect(try school.inboxCount() == 0)
            #expect(try school.storedCount() == 1)
        }
    }

    @Test func `an upload blocked by others is retried, later each time`()
        async throws
    {
        try await withSchool { school in
            _ = try school.newHandout(path: ["unit-2", "check-2"])
            try await school.leave([school.attempt(at: ["unit-2", "check-2"])])
            let upload = try school.sql("select upload_id from school.upload")[0].uuid("upload_id")
            for attempt in 1...10 {
                try school.sql(
                    """
                    select school.note_upload_failure(\(school.hillside), \(school.id(.sam)), \(upload), '40P01', false)
                    """)
                let wait = try school.sql(
                    """
                    select extract(epoch from retry_at - now())::float8 as seconds from school.upload
                    """)[0].double("seconds")
                if attempt > 3 { #expect(wait > 0.05 * Double(1 << (attempt - 1))) }
                #expect(try state(school).isAside == (attempt == 10))
                if attempt > 3 {
                    #expect(try school.sql("select from school.pending_uploads(8)").count == 0)
                }
            }
            try school.sql("select school.retry_failed_uploads()")
            #expect(try school.sql("select from school.pending_uploads(8)").count == 1)
        }
    }
}
