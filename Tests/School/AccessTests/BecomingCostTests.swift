import Postgres
import School
import TestKit
import Testing

/// What it costs to ask whom a caller could become.
@Suite struct BecomingCosts {
    @Test func `a change of many people asks the map once, not once for each`() async throws {
        try await withSchool { school in
            try school.sql("select set_config('track_functions', 'pl', false)")
            func calls(_ function: String) throws -> Int {
                try school.sql("select pg_stat_force_next_flush()")
                try school.sql("select pg_stat_clear_snapshot()")
                return try school.sql(
                    """
                    select coalesce(pg_stat_get_function_calls(\(function)::text::regprocedure), 0)::int as calls
                    """)[0].int("calls")
            }
            let many = "school.out_of_reach(text, uuid[])"
            let one = "school.may_become(text, uuid)"
            let before = (many: try calls(many), one: try calls(one))
            let changed = try school.sql(
                """
                update school.person set email = 'new.' || managed_id
                 where person_id in (\(school.id(.sam)), \(school.id(.ben)))
                """, as: school.caller(.provisioner))
            #expect(changed.affected == 2)
            #expect(try calls(many) == before.many + 1 && calls(one) == before.one)
        }
    }
}
