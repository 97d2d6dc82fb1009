import Postgres
import School
import TestKit
import Testing

/// What was closed stays closed, even for a teacher who bypasses the API.
@Suite struct HandoutClosings {
    @Test func `a teacher cannot undo a completion`() async throws {
        try await withPopulatedSchool { populated in
            let moment: Statement = """
                select completed_at::text as label from school.handout
                 where handout_id = test.id('published')
                """
            let tom = populated.caller(.teacher)
            try populated.school.sql(
                """
                update school.handout set completed_at = now() - interval '1 hour'
                 where handout_id = test.id('published')
                """, as: tom)
            let completed = try populated.labels(moment)
            for value: Statement in ["null", "now()", "now() + interval '1 day'"] {
                try populated.school.sql(
                    """
                    update school.handout set completed_at = \(fragment: value)
                     where handout_id = test.id('published')
                    """, as: tom)
                #expect(try populated.labels(moment) == completed)
            }
        }
    }

    @Test(arguments: ["draft", "scheduled"])
    func `a teacher publishes from now on, and not retroactively`(title: String) async throws {
        try await withPopulatedSchool { populated in
            try populated.school.sql(
                """
                update school.handout set publish_at = now() - interval '1 day'
                 where handout_id = test.id(\(title))
                """, as: populated.caller(.teacher))
            let rows = try populated.school.sql(
                """
                select now() - publish_at < interval '1 minute' as is_recent, publish_at <= now() as is_published
                  from school.handout where handout_id = test.id(\(title))
                """)
            #expect(try rows[0].bool("is_recent"))
            #expect(try rows[0].bool("is_published"))
        }
    }

    @Test func `a teacher cannot move the beginning of a lock to later`() async throws {
        try await withPopulatedSchool { populated in
            let tom = populated.caller(.teacher)
            for value: Statement in [
                "now() - interval '1 hour'", "now()", "now() + interval '1 day'",
            ] {
                try populated.school.sql(
                    """
                    update school.handout set locked_at = \(fragment: value)
                     where handout_id = test.id('published')
                    """, as: tom)
            }
            let hours: Statement = """
                select extract(epoch from now() - locked_at) >= 3600 as is_kept from school.handout
                 where handout_id = test.id('published')
                """
            #expect(try populated.school.sql(hours)[0].bool("is_kept"))
            try populated.school.sql(
                "update school.handout set locked_at = null where handout_id = test.id('published')",
                as: tom)
            let kept = try populated.school.sql(
                """
                select from school.handout_lock
                 where handout_id = test.id('published') and unlocked_at > now() - interval '1 day'
                """)
            #expect(kept.count == 1, "the interval of the lock is kept")
        }
    }
}
