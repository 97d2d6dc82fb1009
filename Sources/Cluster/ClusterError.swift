import Files

/// Why a private PostgreSQL is not available; the sentence says what and where, for the person running the program.
package enum ClusterError: Error, Sendable, Equatable, CustomStringConvertible {
    /// No installed PostgreSQL of this major version; `nil`: none that is recent enough.
    case binariesMissing(major: Int?)
    /// A system call failed, such as creating a folder.
    case failed(FileError)
    /// A folder belongs to another account.
    case wrongOwner(path: String, owner: String)
    case accountMissing(String)
    /// PostgreSQL refuses to run as root, and no account was given.
    case rootNeedsAccount
    /// There is no data, but data that an upgrade or an operator put aside: a new database would hide it.
    case dataMissing(path: String, kept: String)
    /// `initdb` failed; with the last of its output.
    case notInitialised(path: String, output: String)
    /// `postgres` exited instead of becoming ready; with the last of its output.
    case notStarted(log: String, output: String)
    /// The server neither became ready nor exited, or another process holds the lock for starting and stopping.
    case tookTooLong(path: String)

    package var description: String {
        switch self {
        case .binariesMissing(nil):
            """
            PostgreSQL 15 or newer is not installed (looked in /usr/lib/postgresql, /usr/pgsql-* and \
            PATH). On Debian: apt-get install postgresql
            """
        case .binariesMissing(let major?):
            """
            The data is of PostgreSQL \(major), which is not installed (looked in /usr/lib/postgresql, \
            /usr/pgsql-* and PATH). On Debian: apt-get install postgresql-\(major)
            """
        case .failed(let error): error.description
        case .wrongOwner(let path, let owner):
            "\(path) belongs to the account \(owner). Run the command as \(owner) or as root."
        case .accountMissing(let name):
            """
            There is no account \(name), which runs the server when it is started as root. Make it: \
            useradd --system --home-dir /var/lib/\(name) --shell /usr/sbin/nologin \(name)
            """
        case .rootNeedsAccount:
            "PostgreSQL does not run as root. Run the command as another account."
        case .dataMissing(let path, let kept):
            "\(path) is missing, while \(kept) is there. If that is the data, rename it to \(path)."
        case .notInitialised(let path, let output):
            "PostgreSQL could not make its data folder \(path):\n\(output)"
        case .notStarted(let log, let output):
            "PostgreSQL did not start; the end of \(log):\n\(output)"
        case .tookTooLong(let path):
            "PostgreSQL did not get ready in time; its data is in \(path)"
        }
    }
}
