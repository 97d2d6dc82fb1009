import CLinux
import Files
import Glibc

// The few file operations this target needs, each with an error that names the path.

func check(_ succeeded: Bool, _ action: String, _ path: String) throws(ClusterError) {
    if !succeeded { throw .failed(FileError(action, path, errno)) }
}

func exists(_ path: String) -> Bool {
    access(path, F_OK) == 0
}

/// Creates a folder and its parents; an existing one is left as it is.
func makeFolder(_ path: String, mode: mode_t) throws(ClusterError) {
    try named { () throws(FileError) in try Folder.make(path, mode: mode, parents: 0o755) }
}

/// Runs file operations and converts their errors to this target's.
func named<Value>(_ body: () throws(FileError) -> Value) throws(ClusterError) -> Value {
    do throws(FileError) { return try body() } catch { throw .failed(error) }
}

/// The owner of a file or folder itself, not of a link's target; `nil` if it does not exist.
func owner(of path: String) -> UInt32? {
    var status = stat()
    return lstat(path, &status) == 0 ? status.st_uid : nil
}

/// An absolute path without empty parts: pgBackRest refuses two slashes in a row.
package func plainPath(_ path: String) -> String {
    "/" + path.split(separator: "/").joined(separator: "/")
}

/// The path with links resolved; the path itself if that fails.
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

/// Reads until the end, at most up to the limit.
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

/// Writes a file completely or not at all.
func writeText(_ text: String, to path: String, owner: Account?) throws(ClusterError) {
    try named { () throws(FileError) in
        let aside = "\(path).new"
        // The folder may belong to another account than this process, so that a link there must not lead elsewhere.
        unlink(aside)
        let file = try File.creating(aside, mode: 0o600)
        try file.append(Array(text.utf8))
        if let owner { try file.give(to: owner.user, owner.group) }
        try Folder.rename(aside, to: path)
    }
}

/// Removes a file, or a folder with everything in it, as far as possible.
func removeTree(_ path: String) { try? Folder.remove(path) }

/// A lock on a file, which the system releases when the process ends, however it ends.
///
/// Used by one thread at a time.
struct FileLock {
    /// What a shell's command ends with that does not keep the lock of the child which runs it.
    static let closing = "3>&-"

    /// The open file. A child that gets it, as its file 3, holds the lock, too.
    let file: Int32

    init(path: String, owner: Account?) throws(ClusterError) {
        file = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        try check(file >= 0, "open", path)
        if let owner { _ = fchown(file, owner.user, owner.group) }
    }

    /// Takes the lock if it is free; returns whether it was.
    func take(exclusive: Bool) -> Bool {
        while flock(file, (exclusive ? LOCK_EX : LOCK_SH) | LOCK_NB) != 0 {
            if errno != EINTR { return false }
        }
        return true
    }

    /// Waits this long for the lock; returns false if it was not available.
    func wait(exclusive: Bool, seconds: Double) -> Bool {
        let deadline = linux_monotonic_nanoseconds() + Int64(seconds * 1e9)
        while !take(exclusive: exclusive) {
            if linux_monotonic_nanoseconds() > deadline { return false }
            usleep(5_000)
        }
        return true
    }

    /// Releases the lock.
    ///
    /// A program that another thread starts gets every open file until it runs, and would hold the lock for so long.
    /// So it is released, not only closed.
    func close() {
        flock(file, LOCK_UN)
        _ = Glibc.close(file)
    }

    /// Closes the file; the lock is held until the programs that got it have ended.
    func leaveToPrograms() {
        _ = Glibc.close(file)
    }
}
