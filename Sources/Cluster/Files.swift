import CLinux
import Glibc

// The few things this target does with files, each with an error that names the path.

func check(_ succeeded: Bool, _ action: String, _ path: String) throws(ClusterError) {
    if !succeeded { throw .failed(action: action, path: path, errno: errno) }
}

func exists(_ path: String) -> Bool {
    access(path, F_OK) == 0
}

/// Makes a folder and those above it; one that exists stays as it is.
func makeFolder(_ path: String, mode: mode_t) throws(ClusterError) {
    if mkdir(path, mode) == 0 || (errno == EEXIST && isFolder(path)) { return }
    if errno == ENOENT, let slash = path.dropLast().lastIndex(of: "/"), slash != path.startIndex {
        try makeFolder(String(path[..<slash]), mode: 0o755)
        try check(mkdir(path, mode) == 0 || errno == EEXIST, "make the folder", path)
        return
    }
    try check(false, "make the folder", path)
}

func isFolder(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
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
func readText(_ path: String, last limit: Int = 65_536) -> String? {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return nil }
    defer { close(file) }
    let length = lseek(file, 0, SEEK_END)
    lseek(file, max(0, length - limit), SEEK_SET)
    return String(decoding: readAll(file, limit: limit), as: UTF8.self)
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
    let aside = "\(path).new"
    let file = open(aside, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    try check(file >= 0, "write", aside)
    let bytes = Array(text.utf8)
    let complete = write(file, bytes, bytes.count) == bytes.count
    let given = owner.map { fchown(file, $0.user, $0.group) == 0 } ?? true
    let closed = close(file) == 0
    try check(complete && given && closed, "write", aside)
    try check(rename(aside, path) == 0, "write", path)
}

/// Removes a file, or a folder with everything in it; links are removed, not followed.
func removeTree(_ path: String) {
    if unlink(path) == 0 || errno == ENOENT { return }
    for name in names(in: path) { removeTree("\(path)/\(name)") }
    rmdir(path)
}

/// The names in a folder, without `.` and `..`.
func names(in path: String) -> [String] {
    guard let folder = opendir(path) else { return [] }
    defer { closedir(folder) }
    var names: [String] = []
    while let entry = readdir(folder) {
        let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
            String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
        if name != ".", name != ".." { names.append(name) }
    }
    return names
}

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
