import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

/// What was written while the clock was four years ahead is in nobody's way when it is right again.
@Suite struct ClockMending {
    private static let ahead = Duration.seconds(1500 * 86_400)

    /// Lets the body run while the clock is ahead, and a server look before, meanwhile and after.
    private func whileAhead(_ school: TestSchool, _ body: () async throws -> Void) async throws {
        try school.lookAtClock()
        try school.setMoment(ahead: Self.ahead)
        #expect(try school.lookAtClock())
        try await body()
        try school.sql("select school.mend_future()")
        try school.setMoment(ahead: .seconds(60))
        #expect(try school.lookAtClock())
    }

    private func soonest(_ statement: Statement, _ school: TestSchool) throws -> Timestamp {
        try school.sql("select \(fragment: statement) as moment")[0].timestamp("moment")
    }

    @Test func `sign-ins and locks of that time do not last for years`() async throws {
        try await withSchool { school in
            let soon = Timestamp(milliseconds: school.time.now.milliseconds + 400 * 86_400_000)
            try school.sql(
                "update school.access_token set expires_at = school.moment() + interval '1 year'")
            try await whileAhead(school) {
                let answer = try await school.post(
                    "/v1/sign-in", as: nil,
                    json: [
                        "managedId": .text(Persona.tom.managedID),
                        "password": .text(Persona.password),
                    ])
                #expect(answer.status == 200)
                for _ in 1...10 {
                    _ = try await school.post(
                        "/v1/sign-in", as: nil,
                        json: [
                            "managedId": .text(Persona.sam.managedID), "password": "wrong-password",
                        ])
                }
            }
            let latest: Statement = """
                (select max(t) from (select max(expires_at) as t from school.access_token
                                     union all select max(expires_at) from school.refresh_token
                                     union all select max(locked_until) from school.credential) as latest)
                """
            #expect(try soonest(latest, school) > soon, "this is to be mended")
            try school.sql("select school.mend_future()")
            #expect(try soonest(latest, school) < soon)
            let answer = try await school.post(
                "/v1/sign-in", as: nil,
                json: [
                    "managedId": .text(Persona.sam.managedID), "password": .text(Persona.password),
                ])
            #expect(answer.status == 200, "\(answer.text)")
        }
    }

    @Test func `rules, deletions and nights of that time do not wait for years`() async throws {
        try await withSchool { school in
            let soon = Timestamp(milliseconds: school.time.now.milliseconds + 40 * 86_400_000)
            try await whileAhead(school) {
                try school.sql(
                    """
                    insert into school.retention_rule (organization_id, kind, years, effective_at)
                    values (\(school.hillside), 'activities', 3, school.moment() + interval '30 days')
                    """)
                try school.sql("select school.order_deletion(\(school.elsewhere), 30)")
                try school.sql(
                    """
                    insert into school.retention_night (organization_id, night, finished_at)
                    values (\(school.hillside), school.moment()::date, school.moment())
                    """)
            }
            let latest: Statement = """
                (select max(t) from (select max(effective_at) as t from school.retention_rule
                                     union all select max(due_at) from school.organization_deletion
                                     union all select max(finished_at) from school.retention_night) as latest)
                """
            #expect(try soonest(latest, school) > soon)
            try school.sql("select school.mend_future()")
            let due = try soonest(latest, school)
            #expect(due < soon && due > school.time.now, "thirty days from now")
        }
    }

    @Test func `events sealed in that time make no later one suspicious`() async throws {
        try await withSchool { school in
            func leaveEvent() throws {
                try school.sql(
                    """
                    select school.write_audit_event(\(school.hillside), 'denial', 'teacher', null, null, null, null,
                                                    null, null)
                    """)
            }
            func seal() throws {
                try school.sql("select school.seal_audit_events(\(school.hillside))")
            }
            func broken() throws -> [String] {
                try school.sql("select finding from school.broken_audit_events(\(school.hillside))")
                    .map { try $0.text("finding") }
            }
            try leaveEvent()
            try seal()
            try await whileAhead(school) {
                try leaveEvent()
                try seal()
                try leaveEvent()
                #expect(try broken() == [])
            }
            try leaveEvent()
            #expect(try broken() == [], "one waits that is of that time, and one that is not")
            try seal()
            try leaveEvent()
            try seal()
            #expect(try broken() == [])
            #expect(
                try school.sql(
                    "select from school.audit_unsealed where organization_id = \(school.hillside)"
                ).isEmpty)
            // An event that claims to be old is still found.
            try leaveEvent()
            try school.sql(
                """
                update school.audit_event set arrived_at = arrived_at - interval '2 days'
                 where event_id in (select event_id from school.audit_unsealed
                                     where organization_id = \(school.hillside))
                """)
            try school.sql(
                """
                update school.audit_unsealed set arrived_at = arrived_at - interval '2 days'
                 where organization_id = \(school.hillside)
                """)
            #expect(try broken() == ["eventInserted"])
        }
    }

    @Test func `a clock that went back without having been ahead mends nothing`() async throws {
        try await withSchool { school in
            let latest: Statement = "(select max(expires_at) from school.access_token)"
            let before = try soonest(latest, school)
            try school.lookAtClock()
            try school.setMoment(ahead: .seconds(-1500 * 86_400))
            #expect(try school.lookAtClock())
            try school.sql("select school.mend_future()")
            #expect(try soonest(latest, school) == before)
        }
    }
}
