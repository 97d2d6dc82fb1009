import Files

/// Why a private PostgreSQL cannot be had; the sentence names what and where, for whoever runs the program.
package enum ClusterError: Error, Sendable, Equatable, CustomStringConvertible {
    /// No installed PostgreSQL of this major version; `nil`: none that is new enough.
    case binariesMissing(major: Int?)
    /// A call to the system failed, such as making a folder.
    case failed(FileError)
    /// A folder belongs to another account.
    case wrongOwner(path: String, owner: String)
    case accountMissing(String)
    /// PostgreSQL refuses to run as root, and no account was named.
    case rootNeedsAccount
    /// `initdb` failed; with what it printed last.
    case notInitialised(path: String, output: String)
    /// `postgres` ended instead of getting ready; with what it printed last.
    case notStarted(log: String, output: String)
    /// The server neither got ready nor ended, or another process holds the lock for starting and stopping.
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
        case .notInitialised(let path, let output):
            "PostgreSQL could not make its data folder \(path):\n\(output)"
        case .notStarted(let log, let output):
            "PostgreSQL did not start; the end of \(log):\n\(output)"
        case .tookTooLong(let path):
            "PostgreSQL did not get ready in time; its data is in \(path)"
        }
    }
}
