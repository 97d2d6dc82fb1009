import Glibc
import Log
import Postgres
import Systemd

/// Waits at startup for an external database that is unreachable, so that the service survives a restart of the
/// database and machines may start in any order.
struct DatabaseWait {
    let settings: Settings
    let report: ServiceReport
    let log: Log
    let signals: StopSignals

    /// Returns once the database accepts the login. Throws if waiting makes no difference, as with a wrong password,
    /// and throws `Stopped` if the service is asked to stop in the meantime.
    func wait(for target: String) throws {
        var isLogged = false
        _ = try Reconnecting { error in
            if !isLogged {
                log.warning("database not reachable", ["reason": .text("\(error)")])
                settings.say("Homeroom waits for the database: \(error)", .warning)
            }
            isLogged = true
            report.waiting("Waits for the database.")
            guard !signals.wait(milliseconds: 1000) else { throw Stopped() }
            return true
        }.connect(target)
        guard isLogged else { return }
        report.starting()
        log.info("database connected")
    }

    /// The service was asked to stop before it served.
    struct Stopped: Error {}
}
