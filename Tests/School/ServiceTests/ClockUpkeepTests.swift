import Postgres
import School
import TestKit
import Testing
import Values
import WaitKit

/// What a server's upkeep does while the clock of the database is wrong.
@Suite(.timeLimit(.minutes(5))) struct ClockUpkeep {
    /// A school in which a wrong clock makes everything due: an attempt under a rule, a deletion that waits, tokens.
    private func prepare(_ school: TestSchool) async throws {
        _ = try school.newHandout()
        try await school.upload([school.attempt()])
        try school.sql(
            """
            insert into school.retention_rule (organization_id, kind, years, effective_at)
            values (\(school.hillside), 'activities', 3, now() - interval '1 day')
            """)
        try school.sql("select school.order_deletion(\(school.elsewhere), 30)")
        try school.sql(
            "update school.access_token set expires_at = now() + interval '30 days' where revoked_at is null"
        )
        try school.letClockProveRight()
    }

    /// What could be gone.
    private func left(_ school: TestSchool) throws -> [Int] {
        let row = try school.sql(
            """
            select (select count(*) from school.activity) as activities,
                   (select count(*) from school.organization) as organizations,
                   (select count(*) from school.access_token) as tokens,
                   (select count(*) from school.change) as changes
            """)[0]
        return try ["activities", "organizations", "tokens", "changes"].map { try row.int($0) }
    }

    /// Waits until upkeep, which runs again and again, has come to the end of a run that began after now.
    private func letUpkeepRun(_ school: TestSchool) async throws {
        // Each run seals before it removes, so that the third one begins after the end of the first.
        for _ in 1...3 {
            try school.leaveEvents()
            try await school.waitForSeals()
        }
    }

    @Test func `a clock that is 1,500 days ahead for a minute removes nothing`() async throws {
        try await withSchool { school in
            try await prepare(school)
            let before = try left(school)
            let logged = LoggedLines()
            try school.setMoment(ahead: .seconds(1500 * 86_400))
            try await school.withUpkeep(log: logged.log) { try await letUpkeepRun(school) }
            #expect(logged.lines("clock jumped").count == 1)
            #expect(try left(school)[0...2] == before[0...2])
            #expect(try await school.get("/v1/me", as: .ada).status == 401)

            try school.setMoment(ahead: .zero)
            try await school.withUpkeep(log: logged.log) { try await letUpkeepRun(school) }
            #expect(logged.lines("clock jumped").count == 2, "back again")
            #expect(try left(school)[0...2] == before[0...2])
            #expect(try left(school)[3] >= before[3])
            #expect(try await school.get("/v1/me", as: .ada).status == 200)
            #expect(logged.lines("error").filter { !$0.contains("clock jumped") }.isEmpty)
        }
    }

    @Test func `what is due goes when the operator accepts the clock`() async throws {
        try await withSchool { school in
            try await prepare(school)
            try school.setMoment(ahead: .seconds(1500 * 86_400))
            try await school.withUpkeep { try await letUpkeepRun(school) }
            #expect(try left(school)[1] == 2)
            #expect(try school.sql("select school.accept_clock() as is_so")[0].bool("is_so"))
            try await school.withUpkeep {
                try await eventually {
                    let left = try left(school)
                    return left[0] == 0 && left[1] == 1
                }
            }
            #expect(try left(school)[0] == 0 && left(school)[1] == 1)
        }
    }
}
