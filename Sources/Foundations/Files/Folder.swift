import Glibc

/// Operations on folders, and on names in them.
package enum Folder {
    /// Creates a folder and its parents; an existing one is left as it is.
    ///
    /// - Parameters:
    ///   - parents: the mode of those above; its own where it is `nil`.
    ///   - isDurable: whether its name survives a crash.
    package static func make(
        _ path: String, mode: mode_t, parents: mode_t? = nil, isDurable: Bool = false
    ) throws(FileError) {
        if mkdir(path, mode) == 0 {
            if isDurable { try sync(parent(of: path)) }
            return
        }
        let number = errno
        if number == EEXIST, exists(path) { return }
        let parent = parent(of: path)
        guard number == ENOENT, parent != path else {
            throw FileError("make the folder", path, number)
        }
        try make(parent, mode: parents ?? mode, parents: parents, isDurable: isDurable)
        try check(mkdir(path, mode) == 0 || errno == EEXIST, "make the folder", path)
        if isDurable { try sync(parent) }
    }

    private static func parent(of path: String) -> String {
        guard let slash = path.dropLast().lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// Whether there is a folder at the path, or a link to one.
    package static func exists(_ path: String) -> Bool { kind(of: path) == S_IFDIR }

    /// The file type at a path, following links, as in `S_IFMT`; `nil` if there is nothing.
    package static func kind(of path: String) -> mode_t? {
        var status = stat()
        return stat(path, &status) == 0 ? status.st_mode & S_IFMT : nil
    }

    /// Flushes the names in a folder to disk, so that they survive a crash.
    package static func sync(_ path: String) throws(FileError) {
        let folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        try check(folder >= 0, "open", path)
        defer { close(folder) }
        try check(fsync(folder) == 0, "sync", path)
    }

    /// Renames a file or folder on the same disk; replaces what has the new name.
    package static func rename(_ path: String, to other: String) throws(FileError) {
        try check(Glibc.rename(path, other) == 0, "rename to", other)
    }

    /// Removes a file, or a folder with everything in it; links are removed, not followed. Succeeds if there is
    /// nothing to remove.
    package static func remove(_ path: String) throws(FileError) {
        if unlink(path) == 0 || errno == ENOENT { return }
        for name in names(in: path) { try remove("\(path)/\(name)") }
        try check(rmdir(path) == 0, "remove", path)
    }

    /// The sorted names in a folder, without `.` and `..`; empty if it cannot be read.
    package static func names(in path: String) -> [String] {
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
}
