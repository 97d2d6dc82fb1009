import CLinux
import Glibc

/// The content of `postmaster.pid` in a data folder, about the server that runs on it.
struct Postmaster: Sendable, Equatable {
    let pid: pid_t
    /// The folder of its socket.
    let socketFolder: String
    let isReady: Bool

    /// Reads the file; `nil` if there is none or it is not completely written yet.
    init?(dataFolder: String) {
        guard let text = readText("\(dataFolder)/postmaster.pid") else { return nil }
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        guard lines.count >= 5, let pid = pid_t(lines[0]), pid > 1 else { return nil }
        self.pid = pid
        socketFolder = String(lines[4])
        isReady = lines.count >= 8 && lines[7].hasPrefix("ready")
    }

    /// The server that is really running on the folder; `nil` if the file is left over.
    ///
    /// After a crash or in a container the process number may by now belong to any other program.
    static func running(dataFolder: String) -> Postmaster? {
        guard let postmaster = Postmaster(dataFolder: dataFolder),
            isServer(postmaster.pid, on: dataFolder)
        else { return nil }
        return postmaster
    }

    /// Whether `pg_upgrade` started it. Nothing else may use it.
    var isOfUpgrade: Bool {
        readText("/proc/\(pid)/cmdline")?.split(separator: "\0").contains("-b") == true
    }

    /// Removes left-over files that PostgreSQL would mistake for those of a running server. Call it only while
    /// holding `start.lock`, with no server running.
    ///
    /// `postmaster.pid` stays if no process has its number: PostgreSQL detects that itself, and uses the file
    /// to find surviving children of the dead server. The socket's lock file contains only a number.
    static func removeMisleadingFiles(dataFolder: String, socketFolder: String) {
        unlink("\(socketFolder)/.s.PGSQL.5432.lock")
        guard let postmaster = Postmaster(dataFolder: dataFolder), isAlive(postmaster.pid),
            !isServer(postmaster.pid, on: dataFolder)
        else { return }
        unlink("\(dataFolder)/postmaster.pid")
    }

    /// PostgreSQL's working directory is its data folder.
    private static func isServer(_ pid: pid_t, on dataFolder: String) -> Bool {
        guard isAlive(pid), let program = resolvedLink("/proc/\(pid)/exe"),
            let folder = resolvedLink("/proc/\(pid)/cwd")
        else { return false }
        // If an update replaced the program, " (deleted)" is appended to its path.
        return folder == resolved(dataFolder)
            && program.split(separator: "/").last?.hasPrefix("postgres") == true
    }

    /// Identifies the current `postmaster.pid`; `nil` if there is none.
    ///
    /// A new process namespace assigns the same numbers again, so a left-over file may name the very process
    /// that was just started and report it as ready.
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
