import Log
import Postgres

/// What may stand between the service and PostgreSQL and hand its connections on, such as pgbouncer.
enum Pooler {
    /// How many sessions are tried: one that is handed on is mostly the first.
    private static let sessionsMax = 8

    /// Throws where a pooler gives each transaction another session: what is prepared, listened for and locked in one
    /// would be missing in the next. One that keeps a session for each connection is told.
    static func check(_ target: String, log: Log) throws {
        let first = try BlockingConnection(target)
        let process = try first.process
        // A pooler makes up the number under which a statement can be cancelled.
        guard first.announcedProcess != process else { return }
        var others: [BlockingConnection] = []
        for _ in 0..<sessionsMax {
            let other = try BlockingConnection(target)
            others.append(other)
            try other.execute("begin")
            let isHandedOn = try other.process == process
            try other.execute("set local idle_in_transaction_session_timeout = '5s'")
            guard !isHandedOn else {
                throw CommandFailure(
                    """
                    Between Homeroom and PostgreSQL stands a connection pooler that gives each transaction \
                    another session. Homeroom needs its sessions for itself: connect to PostgreSQL directly, or \
                    have the pooler keep a session for each connection (pgbouncer: pool_mode = session).
                    """)
            }
        }
        log.warning(
            "a connection pooler is in front of the database; it must keep a session for each connection"
        )
    }
}

extension BlockingConnection {
    /// The number of the server's process, as it says itself.
    fileprivate var process: Int {
        get throws { try query("select pg_backend_pid() as pid")[0].int("pid") }
    }
}
