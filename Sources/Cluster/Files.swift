import CLinux
import Files
import Glibc

// The few things this target does with files, each with an error that names the path.

func check(_ succeeded: Bool, _ action: String, _ path: String) throws(ClusterError) {
    if !succeeded { throw .failed(FileError(action, path, errno)) }
}

func exists(_ path: String) -> Bool {
    access(path, F_OK) == 0
}

/// Makes a folder and those above it; one that exists stays as it is.
func makeFolder(_ path: String, mode: mode_t) throws(ClusterError) {
    try named { () throws(FileError) in try Folder.make(path, mode: mode, parents: 0o755) }
}

/// Does something with files, and says what failed as this target does.
func named<Value>(_ body: () throws(FileError) -> Value) throws(ClusterError) -> Value {
    do throws(FileError) { return try body() } catch { throw .failed(error) }
}

/// Who owns a file or folder itself, not what a link points at; `nil` if there is none.
func owner(of path: String) -> UInt32? {
    var status = stat()
    return lstat(path, &status) == 0 ? status.st_uid : nil
}

/// The path without links; the path itself where that cannot be told.
func resolved(_ path: String) -> String {
    guard let pointer = realpath(path, nil) else { return path }
    defer { free(pointer) }
    return String(cString: pointer)
}

/// The text of a small file; `nil` if it cannot be read.
func readText(_ path: String) -> String? {
    (try? File.contents(of: path, limit: 1 << 20)).map { String(decoding: $0, as: UTF8.self) }
}

/// The last bytes of a file, as text; `nil` if it cannot be read.
func readText(_ path: String, last limit: Int) -> String? {
    guard let file = try? File.reading(path), let size = try? file.size(),
        let bytes = try? file.bytes(in: max(0, size - limit)..<size)
    else { return nil }
    return String(decoding: bytes, as: UTF8.self)
}

/// What can be read until the end, at most the limit.
func readAll(_ file: Int32, limit: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 8192)
    while bytes.count < limit {
        let count = read(file, &buffer, min(buffer.count, limit - bytes.count))
        if count > 0 {
            bytes.append(contentsOf: buffer[..<count])
        } else if count == 0 || errno != EINTR {
            break
        }
    }
    return bytes
}

/// Writes a file whole or not at all.
func writeText(_ text: String, to path: String, owner: Account?) throws(ClusterError) {
    try named { () throws(FileError) in
        let aside = "\(path).new"
        let file = try File.overwriting(aside, mode: 0o600)
        try file.append(Array(text.utf8))
        if let owner { try file.give(to: owner.user, owner.group) }
        try Folder.rename(aside, to: path)
    }
}

/// Removes a file, or a folder with everything in it, as far as that can be done.
func removeTree(_ path: String) { try? Folder.remove(path) }

/// A lock on a file, which the system gives back when the process ends, however it ends.
///
/// Used by one thread at a time.
struct FileLock {
    private let file: Int32

    init(path: String, owner: Account?) throws(ClusterError) {
        file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        try check(file >= 0, "open", path)
        if let owner { _ = fchown(file, owner.user, owner.group) }
    }

    /// Whether the lock was to be had at once.
    func take(exclusive: Bool) -> Bool {
        while flock(file, (exclusive ? LOCK_EX : LOCK_SH) | LOCK_NB) != 0 {
            if errno != EINTR { return false }
        }
        return true
    }

    /// Waits for the lock for so long; false when it was not to be had.
    func wait(exclusive: Bool, seconds: Int64) -> Bool {
        let deadline = linux_monotonic_nanoseconds() + seconds * 1_000_000_000
        while !take(exclusive: exclusive) {
            if linux_monotonic_nanoseconds() > deadline { return false }
            usleep(5_000)
        }
        return true
    }

    /// Gives the lock back.
    func close() {
        _ = Glibc.close(file)
    }
}
