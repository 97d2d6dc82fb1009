import CLinux
import Glibc

/// What `postmaster.pid` in a data folder says about the server that runs on it.
struct Postmaster: Sendable, Equatable {
    let pid: pid_t
    /// Where its socket is.
    let socketFolder: String
    let isReady: Bool

    /// Reads the file; `nil` if there is none or if it is not written completely yet.
    init?(dataFolder: String) {
        guard let text = readText("\(dataFolder)/postmaster.pid") else { return nil }
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        guard lines.count >= 5, let pid = pid_t(lines[0]), pid > 1 else { return nil }
        self.pid = pid
        socketFolder = String(lines[4])
        isReady = lines.count >= 8 && lines[7].hasPrefix("ready")
    }

    /// The server that really runs on the folder; `nil` where a file was only left over.
    ///
    /// After a crash or in a container the number may belong to any other program by now.
    static func running(dataFolder: String) -> Postmaster? {
        guard let postmaster = Postmaster(dataFolder: dataFolder),
            isServer(postmaster.pid, on: dataFolder)
        else { return nil }
        return postmaster
    }

    /// Removes left-over files that PostgreSQL would take for those of a running server. Only for who holds
    /// `start.lock` and found no server running.
    ///
    /// `postmaster.pid` stays where its number belongs to nobody: PostgreSQL sees that itself, and finds
    /// survivors of the dead server by it. The lock of the socket knows nothing but a number.
    static func removeMisleadingFiles(dataFolder: String, socketFolder: String) {
        unlink("\(socketFolder)/.s.PGSQL.5432.lock")
        guard let postmaster = Postmaster(dataFolder: dataFolder), isAlive(postmaster.pid),
            !isServer(postmaster.pid, on: dataFolder)
        else { return }
        unlink("\(dataFolder)/postmaster.pid")
    }

    /// PostgreSQL works in its data folder.
    private static func isServer(_ pid: pid_t, on dataFolder: String) -> Bool {
        guard isAlive(pid), let program = resolvedLink("/proc/\(pid)/exe"),
            let folder = resolvedLink("/proc/\(pid)/cwd")
        else { return false }
        // A program that was replaced by an update has " (deleted)" behind its name.
        return folder == resolved(dataFolder)
            && program.split(separator: "/").last?.hasPrefix("postgres") == true
    }

    /// Which file `postmaster.pid` is at the moment; `nil` for none.
    ///
    /// A new namespace of processes gives the same numbers again, so that a file that was left over may name
    /// the very process that was just started and call it ready.
    struct FileMark: Equatable {
        private let number: UInt
        private let changed: Int

        init?(dataFolder: String) {
            var status = stat()
            guard stat("\(dataFolder)/postmaster.pid", &status) == 0 else { return nil }
            number = UInt(status.st_ino)
            changed = status.st_ctim.tv_sec * 1_000_000_000 + status.st_ctim.tv_nsec
        }
    }
}

private func resolvedLink(_ path: String) -> String? {
    var buffer = [CChar](repeating: 0, count: 4096)
    let count = readlink(path, &buffer, buffer.count)
    guard count > 0 else { return nil }
    return String(decoding: buffer.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
}
