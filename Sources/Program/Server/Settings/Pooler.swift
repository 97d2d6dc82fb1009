import Log
import Postgres

/// Detects a connection pooler between the service and PostgreSQL, such as pgbouncer.
enum Pooler {
    /// How many sessions to try; a pooler usually shows with the first one.
    private static let sessionsMax = 8

    /// Throws if a pooler gives each transaction another session: prepared statements, LISTEN and locks of one would
    /// be missing in the next. A pooler that keeps a session for each connection is only reported.
    static func check(_ target: String, log: Log) throws {
        let first = try BlockingConnection(target)
        let process = try first.process
        // A pooler invents the number under which a statement can be cancelled.
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
    /// The process number that the PostgreSQL backend itself reports.
    fileprivate var process: Int {
        get throws { try query("select pg_backend_pid() as pid")[0].int("pid") }
    }
}
