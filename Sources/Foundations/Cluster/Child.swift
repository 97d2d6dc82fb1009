import CLinux
import Files
import Glibc
import Synchronization

/// A program to run as a child process, with its own session and environment.
struct Child: Sendable {
    let path: String
    let arguments: [String]
    let folder: String
    /// The account to run under, if the process is root.
    let account: Account?
    /// The signal the child gets when the thread that started it ends; 0 for none.
    var deathSignal: Int32 = 0
    /// A lock that is held until the child and all that it started have ended, even if this process is killed.
    var lock: FileLock?
    /// Variables besides those that every child has, such as `PGPASSFILE=/path`.
    var variables: [String] = []

    /// No PG… or LC_… variable is inherited, so that it behaves the same everywhere.
    private static let environment = ["PATH=/usr/bin:/bin", "LC_ALL=C.UTF-8", "TZ=UTC", "HOME=/"]

    /// Starts it with both outputs going to an open file; throws if the system cannot create another process.
    func start(output: Int32) throws(ClusterError) -> pid_t {
        let change = geteuid() == 0 ? account : nil
        let pid = withCStrings([path] + arguments) { arguments in
            withCStrings(Child.environment + variables) { environment in
                path.withCString { path in
                    folder.withCString { folder in
                        var child = linux_child(
                            path: path, arguments: arguments, environment: environment,
                            folder: folder, output: output,
                            user: change?.user ?? .max, group: change?.group ?? .max,
                            death_signal: deathSignal, kept: lock?.file ?? -1)
                        return linux_spawn(&child)
                    }
                }
            }
        }
        try check(pid > 0, "start", path)
        return pid
    }

    /// Runs it to its end; returns its status (0: success) and the last of its output.
    func run() throws(ClusterError) -> (status: Int32, output: String) {
        let (status, output) = try finish(limit: 65_536)
        return (status, lastLines(output))
    }

    /// Runs it to its end; returns its status (0: success) and its output, which should stay below the limit.
    func finish(limit: Int) throws(ClusterError) -> (status: Int32, output: String) {
        var ends: [Int32] = [0, 0]
        try check(pipe(&ends) == 0, "start", path)
        let started = Result { () throws(ClusterError) in try start(output: ends[1]) }
        close(ends[1])
        defer { close(ends[0]) }
        let pid = try started.get()
        let output = readAll(ends[0], limit: limit)
        var status: Int32 = 0
        while waitpid(pid, &status, 0) < 0, errno == EINTR {}
        return (status, String(decoding: output, as: UTF8.self))
    }

    /// Starts it on a thread that lives as long as the child and collects its exit status.
    ///
    /// It needs its own thread because `deathSignal` is tied to the thread, and pools end their threads.
    func startWatched(output: Int32) throws(ClusterError) -> pid_t {
        let start = Start(child: self, output: output)
        var thread = pthread_t()
        let box = Unmanaged.passRetained(start)
        let status = pthread_create(
            &thread, nil,
            { pointer in
                guard let pointer else { return nil }
                Unmanaged<Start>.fromOpaque(pointer).takeRetainedValue().runThread()
                return nil
            }, box.toOpaque())
        guard status == 0 else {
            box.release()
            throw .failed(FileError("start", path, status))
        }
        pthread_detach(thread)
        while true {
            if let result = start.result.withLock({ $0 }) { return try result.get() }
            usleep(200)
        }
    }

    private final class Start: Sendable {
        let child: Child
        let output: Int32
        let result = Mutex<Result<pid_t, ClusterError>?>(nil)

        init(child: Child, output: Int32) {
            self.child = child
            self.output = output
        }

        func runThread() {
            let started = Result { () throws(ClusterError) in try child.start(output: output) }
            result.withLock { $0 = started }
            guard case .success(let pid) = started else { return }
            var status: Int32 = 0
            while waitpid(pid, &status, 0) < 0, errno == EINTR {}
        }
    }
}

/// Whether there is such a process and it has not exited; a zombie counts as exited.
func isAlive(_ pid: pid_t) -> Bool {
    guard kill(pid, 0) == 0 || errno == EPERM else { return false }
    // The program's name is in parentheses and may contain anything; the state follows it.
    guard let status = readText("/proc/\(pid)/stat"), let end = status.lastIndex(of: ")") else {
        return false
    }
    let state = status[end...].dropFirst(2).first
    return state != "Z" && state != "X"
}

/// The end of what a program printed: at most ten lines.
func lastLines(_ text: String) -> String {
    text.split(separator: "\n").suffix(10).joined(separator: "\n")
}

private func withCStrings<Value>(
    _ texts: [String], _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> Value
) -> Value {
    var pointers: [UnsafeMutablePointer<CChar>?] = texts.map { strdup($0) } + [nil]
    defer { for pointer in pointers { free(pointer) } }
    return pointers.withUnsafeMutableBufferPointer { body(UnsafePointer($0.baseAddress!)) }
}
