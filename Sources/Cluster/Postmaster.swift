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
        guard let postmaster = Postmaster(dataFolder: dataFolder), isAlive(postmaster.pid),
            workingFolder(postmaster.pid) == resolved(dataFolder)
        else { return nil }
        return postmaster
    }

    /// Removes a left-over file whose number now belongs to another living program, which PostgreSQL would take
    /// for a running server. Where the number belongs to nobody PostgreSQL sees that itself, and looks for
    /// survivors of the dead server too.
    static func removeMisleadingFile(dataFolder: String) {
        guard let postmaster = Postmaster(dataFolder: dataFolder), isAlive(postmaster.pid),
            workingFolder(postmaster.pid) != resolved(dataFolder)
        else { return }
        unlink("\(dataFolder)/postmaster.pid")
    }

    /// PostgreSQL works in its data folder; `nil` for a process of somebody else.
    private static func workingFolder(_ pid: pid_t) -> String? {
        resolvedLink("/proc/\(pid)/cwd")
    }
}

private func resolvedLink(_ path: String) -> String? {
    var buffer = [CChar](repeating: 0, count: 4096)
    let count = readlink(path, &buffer, buffer.count)
    guard count > 0 else { return nil }
    return String(decoding: buffer.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
}
