import Glibc

// The few things this target does with files, each with an error that names the path.

func check(_ succeeded: Bool, _ action: String, _ path: String) throws(ExportError) {
    if !succeeded { throw .file(action: action, path: path, number: errno) }
}

/// What is at a path, following links; `nil` for nothing.
func kind(of path: String) -> mode_t? {
    var status = stat()
    return stat(path, &status) == 0 ? status.st_mode & S_IFMT : nil
}

func isFolder(_ path: String) -> Bool { kind(of: path) == S_IFDIR }

/// Makes a folder for the owner and the group, and those above it; one that exists stays as it is.
func makeFolder(_ path: String) throws(ExportError) {
    if mkdir(path, 0o750) == 0 {
        if let parent = parent(of: path) { try syncFolder(parent) }
        return
    }
    if errno == EEXIST, isFolder(path) { return }
    if errno == ENOENT, let parent = parent(of: path) {
        try makeFolder(parent)
        try check(mkdir(path, 0o750) == 0 || errno == EEXIST, "make the folder", path)
        return try syncFolder(parent)
    }
    try check(false, "make the folder", path)
}

private func parent(of path: String) -> String? {
    guard let slash = path.dropLast().lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
}

/// Makes names in a folder survive a crash.
func syncFolder(_ path: String) throws(ExportError) {
    let folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    try check(folder >= 0, "open", path)
    defer { close(folder) }
    try check(fsync(folder) == 0, "sync", path)
}

/// Removes a file, or a folder with everything in it; links are removed, not followed.
func removeTree(_ path: String) throws(ExportError) {
    if unlink(path) == 0 || errno == ENOENT { return }
    for name in names(in: path) { try removeTree("\(path)/\(name)") }
    try check(rmdir(path) == 0, "remove", path)
}

/// The names in a folder in their order, without `.` and `..`.
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
    return names.sorted()
}

/// Reads a file in pieces of 64 KiB.
final class InputFile {
    private let descriptor: Int32
    private let path: String

    init(_ path: String) throws(ExportError) {
        descriptor = open(path, O_RDONLY | O_CLOEXEC)
        self.path = path
        try check(descriptor >= 0, "read", path)
    }

    deinit { close(descriptor) }

    /// The next piece; `nil` at the end.
    func next() throws(ExportError) -> [UInt8]? {
        var failed = false
        let bytes = [UInt8](unsafeUninitializedCapacity: 65_536) { buffer, filled in
            var count = read(descriptor, buffer.baseAddress, buffer.count)
            while count < 0, errno == EINTR {
                count = read(descriptor, buffer.baseAddress, buffer.count)
            }
            failed = count < 0
            filled = max(0, count)
        }
        try check(!failed, "read", path)
        return bytes.isEmpty ? nil : bytes
    }
}
