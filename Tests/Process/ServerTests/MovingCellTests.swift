import Postgres
import TestKit
import Testing

@testable import Server
@testable import ServerKit

/// The connection through which an organization moves to another cell.
@Suite struct MovingCells {
    @Test func `PostgreSQL logs none of its statements, which may hold a password`() async throws {
        try await withSchool { school in
            try school.sql(
                """
                do $$
                declare
                    setting text;
                begin
                    foreach setting in array array[
                        'log_statement = all', 'log_error_verbosity = default', 'log_min_error_statement = error',
                        'log_duration = on', 'log_min_duration_statement = 0', 'log_min_duration_sample = 0',
                        'log_transaction_sample_rate = 1']
                    loop
                        execute format('alter database %I set %s', current_database(),
                                       regexp_replace(setting, '(\\w+)$', '''\\1'''));
                    end loop;
                end $$
                """)
            let shown: Statement = """
                select string_agg(setting, ' ' order by name) as settings from pg_settings
                 where name in ('log_statement', 'log_error_verbosity', 'log_min_error_statement',
                                'log_duration', 'log_min_duration_statement', 'log_min_duration_sample',
                                'log_transaction_sample_rate')
                """
            let usual = try BlockingConnection(school.ownerURL).query(shown)
            #expect(try usual[0].text("settings") == "on default 0 0 error all 1")
            let cell = try MovingCell("This cell", school.ownerURL, seenAs: school.ownerURL)
            let quiet = try cell.connection.query(shown)
            #expect(try quiet[0].text("settings") == "off terse -1 -1 panic none 0")
        }
    }
}
