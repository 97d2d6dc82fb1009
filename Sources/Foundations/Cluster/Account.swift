import CLinux
import Glibc

/// The operating system account under which PostgreSQL runs.
package struct Account: Sendable, Equatable {
    package let name: String
    package let user: UInt32
    package let group: UInt32

    /// Finds an account by its name; `nil` if there is none.
    package init?(named name: String) {
        guard let entry = Account.entry({ getpwnam_r(name, $0, $1, $2, $3) }) else { return nil }
        self = entry
    }

    /// Finds an account by its number; `nil` if there is none.
    package init?(user: UInt32) {
        guard let entry = Account.entry({ getpwuid_r(user, $0, $1, $2, $3) }) else { return nil }
        self = entry
    }

    /// What to call the account of this number in a sentence, even if there is none.
    static func name(of user: UInt32) -> String {
        Account(user: user)?.name ?? "number \(user)"
    }

    private init(name: String, user: UInt32, group: UInt32) {
        self.name = name
        self.user = user
        self.group = group
    }

    /// Switches the whole process, all its threads, from root to this account for good.
    ///
    /// Missing folders are created first and given to the account. Existing ones keep their owner; a wrong
    /// owner is reported when the folder is used. Does nothing if the process is not root.
    package func become(makingFolders folders: [String]) throws(ClusterError) {
        guard geteuid() == 0 else { return }
        for folder in folders where !exists(folder) {
            try makeFolder(folder, mode: 0o750)
            try check(chown(folder, user, group) == 0, "give away", folder)
        }
        try check(initgroups(name, group) == 0, "take the groups of", name)
        try check(setgid(group) == 0, "take the group of", name)
        try check(setuid(user) == 0, "become", name)
        // What it holds from its time as root, such as keys, must stay hidden from other processes of the account.
        try check(linux_forbid_looking() == 0, "close to others", name)
        // Root's home is not a place for this account to look for files.
        setenv("HOME", "/", 1)
        precondition(setuid(0) != 0, "the process could become root again")
    }

    /// Switches the whole process to the named account if it is root; throws `accountMissing`.
    package static func drop(
        to name: String, makingFolders folders: [String]
    ) throws(ClusterError) {
        guard geteuid() == 0 else { return }
        guard let account = Account(named: name) else { throw .accountMissing(name) }
        try account.become(makingFolders: folders)
    }

    private static func entry(
        _ find: (
            UnsafeMutablePointer<passwd>, UnsafeMutablePointer<CChar>, Int,
            UnsafeMutablePointer<UnsafeMutablePointer<passwd>?>
        ) -> Int32
    ) -> Account? {
        var entry = passwd()
        var found: UnsafeMutablePointer<passwd>?
        return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 16_384) { buffer in
            guard let base = buffer.baseAddress, find(&entry, base, buffer.count, &found) == 0,
                found != nil
            else { return nil }
            return Account(
                name: String(cString: entry.pw_name), user: entry.pw_uid, group: entry.pw_gid)
        }
    }
}
