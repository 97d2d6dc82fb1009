import Postgres
import School
import TestKit
import Testing
import Values

/// A wrong clock of the database removes nothing, and a right one does. `servers` run, and the clock says something else.
@Suite struct Clocks {
    private static let hour = Duration.seconds(3600)
    private static let day = hour * 24

    /// A school, and how far its clock is ahead of what servers have measured.
    private final class Cell {
        let school: TestSchool
        private var ahead = Duration.zero

        init(_ school: TestSchool) { self.school = school }

        /// Lets a server run and look at the clock each hour, while the clock goes on as well.
        ///
        /// - Returns: whether a look noticed that the clock had jumped.
        func run(_ time: Duration, every pause: Duration = hour) throws -> Bool {
            var hasJumped = false
            var left = time
            while left > .zero {
                try move(min(left, pause))
                hasJumped = try school.lookAtClock(after: min(left, pause)) || hasJumped
                left -= pause
            }
            return hasJumped
        }

        /// Moves the clock while no server runs.
        func move(_ time: Duration) throws {
            ahead += time
            try school.setMoment(ahead: ahead)
        }

        /// Leaves a receipt that is older than a day, and says whether upkeep removes it now.
        func removes() throws -> Bool {
            try school.sql("delete from school.upload_receipt")
            try school.sql(
                """
                insert into school.upload_receipt (organization_id, receipt_id, arrived_at)
                values (\(school.hillside), gen_random_uuid(), '2020-01-01')
                """)
            try school.sql("select school.remove_outdated()")
            return try school.sql("select from school.upload_receipt").isEmpty
        }

        func state() throws -> Row { try school.sql("select * from school.clock_state()")[0] }

        func jumped() throws -> Bool {
            try state().optionalTimestamp("jumped_from") != nil
        }

        func waits() throws -> Bool { try state().bool("needs_acceptance") }
    }

    private func withCell(_ body: (Cell) async throws -> Void) async throws {
        try await withSchool { school in
            try await body(Cell(school))
        }
    }

    @Test func `nothing is removed before a server has run for a day`() async throws {
        try await withCell { cell in
            let known = try cell.school.sql("select from school.clock_state()")
            #expect(known.isEmpty)
            #expect(try !cell.removes())
            #expect(try !cell.school.lookAtClock())
            #expect(try !cell.removes())
            #expect(try !cell.run(Self.day - .seconds(600)))
            #expect(try !cell.removes())
            #expect(try cell.state().int("remaining_milliseconds") <= 600_000)
            #expect(try !cell.run(.seconds(600)))
            #expect(try cell.removes())
            #expect(try cell.state().int("remaining_milliseconds") == 0)
        }
    }

    @Test func `what becomes due goes a day later`() async throws {
        try await withCell { cell in
            let school = cell.school
            try school.lookAtClock()
            _ = try cell.run(Self.day * 2)
            try school.sql("select school.order_deletion(\(school.elsewhere), 1)")
            let ending: Statement = "select from school.ending_organizations()"
            #expect(try !cell.run(Self.day + Self.hour))
            #expect(
                try school.sql(ending).isEmpty, "it is due, and no server has seen that for long")
            let due = try school.sql("select name, is_whole from school.due_by_clock()")
            #expect(try due.map { try $0.text("name") } == ["Elsewhere"])
            #expect(try !cell.run(Self.hour * 22))
            #expect(try school.sql(ending).isEmpty)
            #expect(try !cell.run(Self.hour + .seconds(600)))
            #expect(try school.sql(ending).count == 1)
            let late = try school.sql("select from school.late_deletions()")
            #expect(late.isEmpty, "it could not begin before")
        }
    }

    @Test func `four years ahead for a minute remove nothing, and nothing is left of them`()
        async throws
    {
        try await withCell { cell in
            let school = cell.school
            try school.lookAtClock()
            _ = try cell.run(Self.day)
            #expect(try cell.removes())
            try school.sql("select school.order_deletion(\(school.elsewhere), 30)")
            let tokens = try school.sql("select from school.access_token").count
            let changes = try school.sql("select from school.change").count
            try school.sql(
                "update school.access_token set expires_at = school.moment() + interval '1 year'")
            #expect(try await school.get("/v1/me", as: .ada).status == 200)

            try cell.move(Self.day * 1500)
            #expect(try cell.jumped(), "known before anybody has looked")
            #expect(try cell.run(.seconds(60)))
            #expect(try cell.jumped() && cell.waits())
            #expect(try !cell.removes())
            #expect(try school.sql("select from school.ending_organizations()").isEmpty)
            let expired = try await school.get("/v1/me", as: .ada)
            #expect(expired.status == 401, "it counts as expired")
            // Only the operator ends it.
            #expect(try !cell.run(Self.day * 3, every: Self.hour))
            #expect(try cell.jumped() && !cell.removes())

            try cell.move(Self.day * -1500)
            #expect(try cell.run(.seconds(600)))
            #expect(try cell.jumped() && !cell.waits(), "where it was before")
            #expect(try !cell.removes())
            #expect(try await school.get("/v1/me", as: .ada).status == 200)
            #expect(try school.sql("select from school.access_token").count == tokens)
            #expect(try school.sql("select from school.change").count == changes)
            #expect(try school.sql("select from school.organization").count == 2)
            #expect(try !cell.run(Self.day))
            #expect(try !cell.jumped() && cell.removes())
            #expect(try school.sql("select from school.ending_organizations()").isEmpty)
        }
    }

    @Test func `after a summer without a server it is trusted when one has run for a day`()
        async throws
    {
        try await withCell { cell in
            try cell.school.lookAtClock()
            _ = try cell.run(Self.day)
            try cell.move(Self.day * 56)
            #expect(try cell.run(.seconds(60)))
            #expect(try cell.jumped() && !cell.waits() && !cell.removes())
            #expect(try !cell.run(Self.day - .seconds(60)))
            #expect(try cell.jumped() && !cell.removes())
            #expect(try !cell.run(.seconds(60)))
            #expect(try !cell.jumped() && cell.removes())
        }
    }

    @Test func `the operator ends a jump, and that is in the audit trail`() async throws {
        try await withCell { cell in
            let school = cell.school
            let accept: Statement = "select school.accept_clock() as is_accepted"
            try school.lookAtClock()
            #expect(try !school.sql(accept)[0].bool("is_accepted"), "there is nothing to accept")
            #expect(try !cell.removes())
            try cell.move(Self.day * 200)
            #expect(try school.sql(accept)[0].bool("is_accepted"))
            #expect(try !cell.jumped() && cell.removes())
            let events = try school.sql(
                """
                select organization_id from school.audit_event
                 where kind = 'organizationChange' and details ->> 'change' = 'clockAccepted'
                """)
            #expect(events.count == 2)
            #expect(try !school.sql(accept)[0].bool("is_accepted"))
            #expect(try !cell.run(Self.day) && cell.removes())
        }
    }

    @Test func `a clock that goes on by 47 hours with each look does not hurry removal`()
        async throws
    {
        try await withCell { cell in
            try cell.school.lookAtClock()
            for _ in 1...100 {
                try cell.move(Self.hour * 47)
                #expect(try !cell.run(.seconds(600)))
            }
            #expect(try !cell.removes())
            #expect(try !cell.run(Self.hour * 6))
            #expect(try !cell.removes())
            #expect(try !cell.run(Self.hour * 2))
            #expect(try cell.removes(), "a day of running")
        }
    }

    @Test func `a clock that goes back by more than five minutes has jumped`() async throws {
        try await withCell { cell in
            try cell.school.lookAtClock()
            _ = try cell.run(Self.day)
            try cell.move(.seconds(-120))
            #expect(try !cell.run(.seconds(1)) && cell.removes())
            try cell.move(.seconds(-600))
            #expect(try cell.run(.seconds(1)))
            #expect(try cell.jumped() && !cell.waits() && !cell.removes())
            #expect(try !cell.run(Self.day))
            #expect(try !cell.jumped() && cell.removes())
            // Fifty years back, as with an empty battery, and right again.
            try cell.move(Self.day * -18_000)
            #expect(try cell.run(.seconds(60)))
            try cell.move(Self.day * 18_000)
            #expect(try cell.run(.seconds(60)))
            #expect(try cell.jumped() && !cell.waits())
            #expect(try !cell.run(Self.day))
            #expect(try !cell.jumped() && cell.removes())
        }
    }

    @Test func `two servers count no hour twice, and hours without a server count nothing`()
        async throws
    {
        try await withCell { cell in
            let school = cell.school
            try school.lookAtClock()
            // Each looks every ten minutes, five minutes after the other.
            for _ in 1...280 {
                try cell.move(.seconds(300))
                #expect(try !school.lookAtClock(after: .seconds(600)))
            }
            #expect(try !cell.removes(), "23 h 20 min")
            try cell.move(Self.hour * 14)
            #expect(try !cell.run(.seconds(1800)))
            #expect(try !cell.removes(), "23 h 50 min")
            #expect(try !cell.run(.seconds(600)))
            #expect(try cell.removes())
        }
    }

    @Test func `where an earlier version ran, its last seal is the last look`() async throws {
        try await withCell { cell in
            let school = cell.school
            try school.sql(
                """
                select school.write_audit_event(\(school.hillside), 'denial', 'teacher', null, null, null, null, null,
                                                null)
                """)
            try school.sql("select school.seal_audit_events(\(school.hillside))")
            try cell.move(Self.day * 1500)
            #expect(try school.lookAtClock())
            #expect(try cell.jumped() && cell.waits())
        }
    }
}
