import Postgres
import Testing
import WaitKit

extension TestSchool {
    /// Returns once a statement in the school's database waits for a lock, which the test holds.
    package func untilSomethingWaits() async throws {
        try await eventually {
            try !sql(
                """
                select from pg_stat_activity
                 where datname = current_database() and wait_event_type = 'Lock' and state = 'active'
                """
            ).isEmpty
        }
    }
}
