import Postgres
import School
import TestKit
import Testing
import Values

@Suite struct Seals {
    @Test func `events are sealed once each, in consecutive batches`() async throws {
        try await withSchool { school in
            for number in 1...25 { try school.leaveEvent("\(number)") }
            #expect(try school.seal(limit: 10))
            #expect(try school.seal(limit: 10))
            #expect(try !school.seal(limit: 10))
            #expect(try !school.seal(limit: 10), "nothing is left")
            let seals = try school.sql(
                """
                select cardinality(event_ids) as count, previous_digest, digest from school.audit_seal
                 where organization_id = \(school.hillside) order by number
                """)
            #expect(try seals.map { try $0.int("count") } == [10, 10, 5])
            #expect(try seals[0].bytes("previous_digest") == [UInt8](repeating: 0, count: 32))
            #expect(try seals[1].bytes("previous_digest") == seals[0].bytes("digest"))
            #expect(try seals[2].bytes("previous_digest") == seals[1].bytes("digest"))
            #expect(try school.sql("select from school.audit_unsealed").count == 0)
            #expect(try school.findings().isEmpty)
        }
    }

    @Test func `an event that commits late goes into the next batch`() async throws {
        try await withSchool { school in
            let late = try BlockingConnection(school.ownerURL)
            try late.execute("begin")
            try late.query(school.event("late"))
            try school.leaveEvent("early")
            _ = try school.seal()
            try late.execute("commit")
            try school.leaveEvent("after")
            _ = try school.seal()
            let sealed = try school.sql(
                """
                select s.number, e.subject_id from school.audit_seal as s
                 cross join unnest(s.event_ids) as i (id)
                  join school.audit_event as e on e.event_id = i.id
                 order by s.number, e.subject_id
                """)
            #expect(
                try sealed.map { "\(try $0.int("number")) \(try $0.text("subject_id"))" }
                    == ["1 early", "2 after", "2 late"])
            #expect(try school.findings().isEmpty)
        }
    }

    @Test func `of two sealers at once one seals, and the other does nothing`() async throws {
        try await withSchool { school in
            try school.leaveEvent("one")
            let other = try BlockingConnection(school.ownerURL)
            try other.execute("begin")
            try other.query("select school.seal_audit_events(\(school.hillside))")
            try school.leaveEvent("two")
            #expect(try !school.seal())
            try other.execute("commit")
            _ = try school.seal()
            let seals = try school.sql(
                "select cardinality(event_ids) as count from school.audit_seal order by number")
            #expect(try seals.map { try $0.int("count") } == [1, 1])
            #expect(try school.findings().isEmpty)
        }
    }

    @Test func `the settings of a session change no digest`() async throws {
        try await withSchool { school in
            try school.leaveEvent("one")
            _ = try school.seal()
            try school.sql("set timezone = 'Asia/Kathmandu'")
            try school.sql("set datestyle = 'German'")
            try school.sql("set bytea_output = 'escape'")
            #expect(try school.findings().isEmpty)
        }
    }

    @Test(arguments: Tampering.all)
    func `tampering is detected, and the edited part is named`(tampering: Tampering)
        async throws
    {
        try await withSchool { school in
            for number in 1...30 { try school.leaveEvent("\(number)") }
            while try school.seal(limit: 10) {}
            try school.leaveEvent("waiting")
            #expect(try school.findings().isEmpty)
            try school.sql("create table public.marked (id uuid)")
            try school.sql(
                """
                insert into public.marked select event_id from school.audit_event
                 where subject_id = \(tampering.subject)
                """)
            for edit in tampering.edits { try school.sql(edit) }
            let findings = try school.findings()
            #expect(Set(findings) == tampering.findings)
            let events = try school.sql(
                """
                select b.event_id in (select id from public.marked) as is_marked
                  from school.broken_audit_events(\(school.hillside)) as b
                """)
            if tampering.namesTheEvent {
                #expect(try events.map { try $0.bool("is_marked") } == [true])
            }
        }
    }

    @Test func `a chain of one organization says nothing about another`() async throws {
        try await withSchool { school in
            try school.leaveEvent("here")
            _ = try await school.get("/v1/developer-teams", as: .otto)
            _ = try school.seal()
            let organizations = try school.sql(
                "select organization_id from school.unsealed_organizations()")
            #expect(
                try organizations.map { try $0.uuid("organization_id") } == [school.elsewhere.uuid])
        }
    }
}
