import Files

/// Why a private PostgreSQL is not available; the sentence says what and where, for the person running the program.
package enum ClusterError: Error, Sendable, Equatable, CustomStringConvertible {
    /// No installed PostgreSQL of this major version; `nil`: none that is recent enough.
    case binariesMissing(major: Int?)
    /// A system call failed, such as creating a folder.
    case failed(FileError)
    /// A folder belongs to another account than the one that uses it.
    case wrongOwner(path: String, owner: String, account: String)
    case accountMissing(String)
    /// PostgreSQL refuses to run as root, and no account was given.
    case rootNeedsAccount
    /// The folder has no database, but one that an upgrade or an operator put aside; creating a new one would hide it.
    case dataMissing(path: String, kept: String)
    /// `initdb` failed; with the last of its output.
    case notInitialised(path: String, output: String)
    /// `postgres` exited instead of becoming ready; with the last of its output.
    case notStarted(log: String, output: String)
    /// The server neither became ready nor exited, or another process holds the lock for starting and stopping.
    case tookTooLong(path: String)
    /// pgBackRest is not installed.
    case backupToolMissing
    /// pgBackRest failed; with what it was to do and the last of its output.
    case backupFailed(action: String, output: String)
    /// The folder holds the backup of another database.
    case otherDatabase(path: String)
    /// The key does not open the backup in the folder.
    case wrongKey(path: String)
    /// Another process is taking a backup.
    case backupUnderWay
    /// A restore needs an empty place, and there is data.
    case notEmpty(path: String)
    /// A restore needs the folder for itself, and a service or a command uses it.
    case inUse(path: String)
    /// A server that cannot be seen from here uses the data.
    case usedElsewhere(path: String)
    /// A restore into the folder was begun and not finished.
    case restoreUnfinished(path: String)

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
        case .wrongOwner(let path, "root", let account):
            """
            \(path) belongs to root, and PostgreSQL does not run as root. Give it to the account \
            \(account): chown -R \(account): \(path)
            """
        case .wrongOwner(let path, let owner, let account):
            """
            \(path) belongs to the account \(owner), and the command uses it as \(account). Run the \
            command as \(owner), or give the folder to \(account): chown -R \(account): \(path)
            """
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
        case .backupToolMissing:
            """
            pgBackRest, which makes backups, is not installed (looked for \(PrivateServer.backupTool)). \
            On Debian: apt-get install pgbackrest
            """
        case .backupFailed(let action, let output):
            "pgBackRest could not \(action):\n\(output)"
        case .otherDatabase(let path):
            "\(path) holds the backup of another database. Use an empty folder."
        case .wrongKey(let path): "The key does not open the backup in \(path)."
        case .backupUnderWay: "A backup is being taken already. Try again when it is done."
        case .notEmpty(let path):
            """
            There is a database in \(path), and a restore does not replace one. Move it away first, \
            or name another folder with --data.
            """
        case .inUse(let path):
            "\(path) is in use. Stop the service and other commands first."
        case .usedElsewhere(let path):
            """
            A PostgreSQL that cannot be seen from here uses \(path), as one in another container does. A second \
            one would destroy the database. Run commands in that container, or stop it first.
            """
        case .restoreUnfinished(let path):
            "A restore into \(path) was not finished. Run homeroom restore again; it starts over."
        }
    }
}
