import Postgres

extension TestSchool {
    /// Where reports and lists are read; `nil` without an URL.
    static func replica(at url: String?, following pool: Pool) async -> Replica? {
        guard let url else { return nil }
        return await onLoop {
            var settings = Pool.Settings(url)
            settings.sharedStatementTimeoutMilliseconds = 10_000
            settings.exclusiveStatementTimeoutMilliseconds = 60_000
            let replica = Replica(settings, following: pool)
            replica.start()
            return replica
        }
    }
}
