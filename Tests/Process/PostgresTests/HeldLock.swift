import Postgres

/// A lock that a session of its own holds, so that a statement which waits for it takes as long as a test wants.
struct HeldLock {
    private let holder: BlockingConnection
    private let key: Int
    /// Waits for the lock, and gives it back at once.
    let wait: Statement

    init() throws {
        key = Int.random(in: 1_000_000...2_000_000_000)
        wait = "select pg_advisory_xact_lock(\(key))"
        holder = try BlockingConnection(databaseURL)
        try holder.query("select pg_advisory_lock(\(key))")
    }

    func release() throws {
        try holder.query("select pg_advisory_unlock(\(key))")
    }
}
