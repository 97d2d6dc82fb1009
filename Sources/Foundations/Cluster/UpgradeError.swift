/// Why the data of a private PostgreSQL could not be upgraded to another major version, or taken back.
package enum UpgradeError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The folder has no database.
    case noData(path: String)
    /// The service or a command uses the data.
    case inUse(path: String)
    /// No newer version is installed.
    case noNewer(major: Int)
    /// An older version was asked for.
    case older(major: Int, wanted: Int)
    /// The data from before the last upgrade has not been deleted.
    case unfinished(kept: String)
    /// No data from before an upgrade is left.
    case nothingKept(path: String)
    /// The new data was used, and going back loses what was written.
    case changedSince(path: String)
    case noSpace(path: String, needed: Int, free: Int)
    /// `pg_upgrade` refused or failed; with the last of its output.
    case failed(output: String, log: String)

    package var description: String {
        switch self {
        case .noData(let path): "There is no database in \(path)."
        case .inUse(let path):
            """
            The database in \(path) is in use. Stop everything of Homeroom first: systemctl start \
            homeroom-maintenance.target
            """
        case .noNewer(let major):
            """
            The data is of PostgreSQL \(major), and no newer version is installed. On Debian: apt-get \
            install postgresql
            """
        case .older(let major, let wanted):
            "The data is of PostgreSQL \(major); an upgrade to \(wanted) is not possible."
        case .unfinished(let kept):
            """
            \(kept) still holds the data from before the last upgrade. Delete it with homeroom \
            upgrade-database --finish, or go back with --undo.
            """
        case .nothingKept(let path): "\(path) holds no data from before an upgrade."
        case .changedSince(let path):
            """
            The upgraded database in \(path) was used since. Going back loses everything written \
            there; if that is what you want, add --discard-changes.
            """
        case .noSpace(let path, let needed, let free):
            """
            An upgrade copies all data. It needs \(needed >> 20) MiB in \(path), and \(free >> 20) MiB \
            are free.
            """
        case .failed(let output, let log):
            """
            pg_upgrade did not succeed; the old data is unchanged. Its reports are in \(log) until the \
            next attempt. The end of its output:
            \(output)
            """
        }
    }
}
