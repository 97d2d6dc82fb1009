import Postgres
import TestKit
import Testing
import Values

/// The time of the database, as tests set it.
@Suite struct Moments {
    @Test func `a test sets the time for functions, defaults and every connection`() async throws {
        try await withSchool { school in
            let other = try BlockingConnection(school.ownerURL)
            let isAhead: Statement = """
                select school.moment() between now() + interval '39 days' and now() + interval '41 days'
                       and school.latest_moment() >= school.moment() as is_ahead
                """
            #expect(try !other.query(isAhead)[0].bool("is_ahead"))
            try school.setMoment(ahead: .seconds(40 * 86_400))
            #expect(try other.query(isAhead)[0].bool("is_ahead"))
            let rows = try school.sql(
                """
                insert into school.location (organization_id, location_id, name)
                values (\(school.hillside), gen_random_uuid(), 'Annex')
                returning created_at > now() + interval '39 days' as is_ahead
                """)
            #expect(try rows[0].bool("is_ahead"))
            try school.setMoment(ahead: .zero)
            #expect(try school.sql("select school.moment() <= now() as is_real")[0].bool("is_real"))
        }
    }

    @Test func `the time goes on from where it was set`() async throws {
        try await withSchool { school in
            let moment = try #require(Timestamp("2031-03-04T05:06:07.890Z"))
            try school.setMoment(to: moment)
            let rows = try school.sql(
                "select school.moment() between \(moment) and \(moment) + interval '1 hour' as is_set"
            )
            #expect(try rows[0].bool("is_set"))
        }
    }

    @Test func `no column's default looks at real time`() async throws {
        try await withSchool { school in
            let real = try school.sql(
                """
                select format('%s: %s', d.adrelid::regclass, pg_get_expr(d.adbin, d.adrelid)) as text
                  from pg_attrdef as d join pg_class as c on c.oid = d.adrelid
                 where c.relnamespace = 'school'::regnamespace
                   and pg_get_expr(d.adbin, d.adrelid) ~* '(^|[^.\\w])(now\\(|current_(time|date)|localtime|clock_time)'
                """)
            #expect(try real.map { try $0.text("text") } == [])
        }
    }

    /// As in the program: otherwise a test of a plan would say nothing about the program.
    @Test func `PostgreSQL inlines what tests set, and searches indexes by it`() async throws {
        try await withSchool { school in
            let connection = try BlockingConnection(school.ownerURL)
            try connection.execute("set enable_seqscan = off")
            let plan = try connection.query(
                """
                explain select from school.seat as s
                 where s.organization_id = \(school.hillside) and s.class_id = \(school.biology)
                   and s.joined_at > school.moment() and school.is_seated(s)
                """
            ).map { try $0.text("QUERY PLAN") }
            #expect(plan.contains { $0.contains("last_value") })
            #expect(!plan.contains { $0.contains("moment()") || $0.contains("is_seated") })
            let tokens = try connection.query(
                "explain select from school.access_token where expires_at <= school.moment()"
            ).map { try $0.text("QUERY PLAN") }
            #expect(tokens.contains { $0.contains("Index Cond") && $0.contains("last_value") })
        }
    }

    @Test func `a school without it has the functions and defaults of the program`() async throws {
        try await withSchool { school in
            try school.setMoment(ahead: .seconds(86_400))
            try school.removeClock()
            let rows = try school.sql(
                """
                select school.moment() <= now() as is_real,
                       (select count(*) from pg_attrdef
                         where pg_get_expr(adbin, adrelid) ~ 'test_clock') as defaults
                """)
            #expect(try rows[0].bool("is_real"))
            #expect(try rows[0].int("defaults") == 0)
        }
    }
}
