import Glibc

/// How many descriptors the process may have: one for each connection, and more for the database, spooled imports and
/// the log.
enum OpenFiles {
    /// Reserved for everything but connections.
    private static let reserve = 256
    /// Enough for any load; a larger limit slows code that iterates over all descriptors.
    private static let most: rlim_t = 65_536

    /// Raises the soft limit to the hard one: the usual soft limit of 1024 is for programs that use `select`.
    static func raiseLimit() {
        var limit = current
        limit.rlim_cur = max(limit.rlim_cur, min(limit.rlim_max, most))
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }

    /// How many of the wanted connections leave enough descriptors for the rest.
    static func connections(wished: Int) -> Int {
        let limit = Int(clamping: current.rlim_cur)
        return max(1, min(wished, max(limit / 2, limit - reserve)))
    }

    private static var current: rlimit {
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        return limit
    }
}
