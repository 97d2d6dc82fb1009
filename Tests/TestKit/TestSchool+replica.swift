import EventLoop
import Postgres

extension TestSchool {
    /// Where reports and lists are read; `nil` without an URL.
    static func replica(
        at url: String?, following pool: Pool, on loop: Loop
    ) async -> Replica? {
        guard let url else { return nil }
        return await loop.run {
            var settings = Pool.Settings(url)
            settings.sharedStatementTimeoutMilliseconds = 10_000
            settings.exclusiveStatementTimeoutMilliseconds = 60_000
            let replica = Replica(settings, following: pool)
            replica.start()
            return replica
        }
    }
}
