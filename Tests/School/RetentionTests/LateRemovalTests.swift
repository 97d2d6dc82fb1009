import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

/// What doctor says if old data does not go when its time has come.
@Suite struct LateRemovals {
    @Test func `a rule that nobody carries out for more than a day is an error`() async throws {
        try await withSchool { school in
            try school.letClockProveRight()
            try await school.setRules(["kind": "activities", "years": 2])
            #expect(try school.late("retention") == nil, "it takes effect later")
            try school.waitForRules()
            #expect(try school.late("retention") == nil, "it has taken effect yesterday")
            try school.waitForRules()
            let id = school.hillside.uuid.description
            #expect(try school.late("retention")?.contains(id) == true)
            try school.letNightPass()
            #expect(try school.late("retention") == nil)
            let older: Statement = "update school.retention_night set night = night - 1"
            try school.sql(older)
            #expect(try school.late("retention") == nil, "tonight's may be under way")
            try school.sql(older)
            #expect(try school.late("retention")?.contains(id) == true)
            try school.sql("update school.retention_night set finished_at = null")
            #expect(try school.late("retention")?.contains(id) == true, "it never ends")
            try school.sql("select school.order_deletion(\(school.hillside), 30)")
            #expect(try school.late("retention") == nil, "everything goes")
        }
    }

    @Test func `an organization that is not deleted in time is an error`() async throws {
        try await withSchool { school in
            try school.letClockProveRight()
            try school.sql("select school.order_deletion(\(school.hillside), 30)")
            #expect(try school.late("deletion") == nil, "it waits")
            try school.letDaysPass(30.5)
            #expect(try school.late("deletion") == nil, "a server is about to begin")
            try school.letDaysPass(1)
            let id = school.hillside.uuid.description
            #expect(try school.late("deletion")?.contains(id) == true)
            try school.sql("update school.organization_deletion set begun_at = now()")
            #expect(try school.late("deletion") == nil, "a large one takes days")
            try school.letDaysPass(7)
            #expect(try school.late("deletion")?.contains(id) == true)
            try school.sql(
                """
                insert into school.retention_hold (organization_id, hold_id, person_id, reason)
                values (\(school.hillside), gen_random_uuid(), \(school.id(.sam)), 'An appeal.')
                """)
            #expect(try school.late("deletion") == nil, "a hold stops it")
        }
    }
}

extension TestSchool {
    /// What a check says to the server's login.
    fileprivate func late(_ what: String) throws -> String? {
        let row = try BlockingConnection(ownerURL).query(
            """
            select said, severity from school.deployment_checks() where code = \(what) || '_is_late'
            """, as: Identity(role: "school_server"))[0]
        #expect(try row.text("severity") == "error")
        return try row.optionalText("said")
    }

    /// Lets the waiting time of a deletion pass.
    fileprivate func letDaysPass(_ days: Double) throws {
        try sql(
            """
            update school.organization_deletion
               set ordered_at = ordered_at - \(days) * interval '1 day',
                   due_at = due_at - \(days) * interval '1 day'
            """)
    }
}
