import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

@Suite("Taking back a handout does not undo that it was given")
struct RecipientIntervalTests {
    @Test func `work done while it was given is kept, whenever it arrives`() async throws {
        try await withSchool { school in
            let handout = try school.newHandout(publishedAt: school.ago(100), to: [.sue])
            try school.gave(handout, from: 110, to: 60)
            try school.gave(handout, from: 40, to: 20)
            try school.sql(
                """
                insert into school.handout_lock (organization_id, handout_id, locked_at, unlocked_at)
                values (\(school.hillside), \(handout.id), \(school.ago(75)), \(school.ago(70)))
                """)
            for (start, end, isKept) in [
                (108, 101, false), (95, 90, true), (74, 71, false), (65, 55, true), (59, 41, false),
                (45, 35, true), (39, 21, true), (19, 10, false), (59, 19, true),
            ] {
                try school.sql("delete from school.activity")
                try await school.upload([
                    school.attempt(from: school.ago(start), to: school.ago(end))
                ])
                #expect(try school.storedCount() == (isKept ? 1 : 0), "\(start) to \(end)")
            }
        }
    }

    @Test func `a student who is given it again has both intervals`() async throws {
        try await withSchool { school in
            let handout = try school.newHandout(publishedAt: school.ago(100), to: [.sam])
            try school.sql("update school.handout_recipient set created_at = \(school.ago(30))")
            try school.gave(handout, from: 90, to: 60)
            for (start, end, isKept) in [(80, 70, true), (55, 40, false), (20, 10, true)] {
                try school.sql("delete from school.activity")
                try await school.upload([
                    school.attempt(from: school.ago(start), to: school.ago(end))
                ])
                #expect(try school.storedCount() == (isKept ? 1 : 0), "\(start) to \(end)")
            }
        }
    }

    @Test func `a student chosen later has it from then on, not from its creation`()
        async throws
    {
        try await withSchool { school in
            _ = try school.newHandout(publishedAt: school.ago(100), to: [.sam, .sue])
            try school.sql("update school.handout_recipient set created_at = \(school.ago(30))")
            try school.sql(
                "delete from school.handout_recipient where person_id = \(school.id(.sam))")
            for (start, end, isKept) in [(80, 70, false), (20, 10, true)] {
                try school.sql("delete from school.activity")
                try await school.upload([
                    school.attempt(from: school.ago(start), to: school.ago(end))
                ])
                #expect(try school.storedCount() == (isKept ? 1 : 0), "\(start) to \(end)")
            }
        }
    }

    @Test func `taking back keeps the interval of what was published, and of nothing else`()
        async throws
    {
        try await withSchool { school in
            let handout = try school.newHandout(to: [.sam, .sue])
            _ = try school.newHandout(publishedAt: school.ago(-60), to: [.sam])
            try school.sql(
                "delete from school.handout_recipient where person_id = \(school.id(.sam))")
            let kept = try school.sql("select handout_id from school.former_recipient")
            #expect(try kept.map { try $0.uuid("handout_id") } == [handout.id.uuid])
            try await school.upload([
                school.attempt(from: school.ago(0), to: .some(nil)),
                school.attempt(from: school.ago(60), to: school.ago(50)),
            ])
            #expect(try school.storedCount() == 1, "his later work is dropped")
        }
    }

    @Test func `a handout taken back opens nothing to an app`() async throws {
        try await withSchool { school in
            let handout = try school.newHandout(to: [.sue])
            try school.gave(handout, from: 90, to: 60)
            _ = try await school.post(
                "/v1/me/completions", as: .samsApp,
                json: ["identifierPath": .array(TestSchool.context.map(JSONValue.text))])
            #expect(try school.sql("select from school.assignment").isEmpty)
        }
    }
}

extension TestSchool {
    /// Sam was given a handout that many minutes ago, and it was taken back.
    fileprivate func gave(_ handout: GivenHandout, from start: Int, to end: Int) throws {
        try sql(
            """
            insert into school.former_recipient (organization_id, handout_id, person_id, given_at, taken_at)
            values (\(hillside), \(handout.id), \(id(.sam)), \(ago(start)), \(ago(end)))
            """)
    }
}
