import Glibc
import Log
import Postgres
import Systemd

/// Waits at the start of the service for an external database that is away, so that neither the order in which
/// machines start nor a database that is restarted ends the service.
struct DatabaseWait {
    let report: ServiceReport
    let log: Log
    let signals: StopSignals

    /// Returns when the database takes the login. Throws where waiting makes no difference, as with a wrong
    /// password, and `Stopped` where the service is told to stop meanwhile.
    func wait(for target: String) throws {
        var isTold = false
        _ = try Reconnecting { error in
            if !isTold {
                log.warning("database not reachable", ["reason": .text("\(error)")])
                complain("Homeroom waits for the database: \(error)")
            }
            isTold = true
            report.waiting("Waits for the database.")
            guard !signals.wait(milliseconds: 1000) else { throw Stopped() }
            return true
        }.connect(target)
        guard isTold else { return }
        report.starting()
        log.info("database connected")
    }

    /// The service was told to stop before it served.
    struct Stopped: Error {}
}
