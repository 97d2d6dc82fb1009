import Glibc

/// An open file, closed when its last reference is gone. It stays readable after its name is removed.
///
/// Calls block. `bytes` may be called from any thread; `next` and `append` advance the file position, so only
/// one thread at a time may call them.
package final class File: Sendable {
    package let path: String
    let descriptor: Int32

    init(_ descriptor: Int32, path: String) {
        self.descriptor = descriptor
        self.path = path
    }

    deinit { close(descriptor) }

    /// Opens a file for reading.
    package static func reading(_ path: String) throws(FileError) -> File {
        try opened(path, O_RDONLY, 0, "read")
    }

    /// Creates a file that must not exist yet.
    package static func creating(_ path: String, mode: mode_t) throws(FileError) -> File {
        try opened(path, O_WRONLY | O_CREAT | O_EXCL, mode, "write")
    }

    /// Creates a file, or truncates the existing one.
    package static func overwriting(_ path: String, mode: mode_t) throws(FileError) -> File {
        try opened(path, O_WRONLY | O_CREAT | O_TRUNC, mode, "write")
    }

    private static func opened(
        _ path: String, _ flags: Int32, _ mode: mode_t, _ action: String
    ) throws(FileError) -> File {
        let descriptor = open(path, flags | O_CLOEXEC, mode)
        try check(descriptor >= 0, action, path)
        return File(descriptor, path: path)
    }

    /// A whole file; a file longer than the limit is not read.
    package static func contents(of path: String, limit: Int) throws(FileError) -> [UInt8] {
        let file = try reading(path)
        var contents: [UInt8] = []
        // Kernel files such as those in /proc report size 0, so read to the end.
        while let piece = try file.next() {
            contents += piece
            guard contents.count <= limit else { throw FileError("read", path, EFBIG) }
        }
        return contents
    }

    /// In bytes.
    package func size() throws(FileError) -> Int { Int(try status().st_size) }

    /// Whether it is a regular file: not a folder, device, pipe or socket.
    package func isRegular() throws(FileError) -> Bool { try status().st_mode & S_IFMT == S_IFREG }

    /// Who owns it, and who may do what with it.
    package func ownership() throws(FileError) -> (user: uid_t, mode: mode_t) {
        let status = try status()
        return (status.st_uid, status.st_mode)
    }

    private func status() throws(FileError) -> stat {
        var status = stat()
        try check(fstat(descriptor, &status) == 0, "read", path)
        return status
    }

    // MARK: Reading

    /// The next bytes, as many as one call returns; `nil` at the end.
    package func next(upTo length: Int = 65_536) throws(FileError) -> [UInt8]? {
        var count = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: length) { buffer, filled in
            count = uninterrupted { read(descriptor, buffer.baseAddress, length) }
            filled = max(0, count)
        }
        try check(count >= 0, "read", path)
        return bytes.isEmpty ? nil : bytes
    }

    /// All bytes of this range.
    package func bytes(in range: Range<Int>) throws(FileError) -> [UInt8] {
        var failure: Int32 = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: range.count) { buffer, filled in
            while filled < range.count, failure == 0 {
                let count = uninterrupted {
                    pread(
                        descriptor, buffer.baseAddress.map { $0 + filled }, range.count - filled,
                        off_t(range.lowerBound + filled))
                }
                // The file ends before the range does.
                if count == 0 { failure = EIO }
                if count < 0 { failure = errno }
                filled += max(0, count)
            }
        }
        guard failure == 0 else { throw FileError("read", path, failure) }
        return bytes
    }

    // MARK: Writing

    package func append(_ content: UnsafeRawBufferPointer) throws(FileError) {
        var rest = content
        while !rest.isEmpty {
            let count = uninterrupted { Glibc.write(descriptor, rest.baseAddress, rest.count) }
            try check(count >= 0, "write", path)
            rest = UnsafeRawBufferPointer(rebasing: rest[count...])
        }
    }

    package func append(_ content: [UInt8]) throws(FileError) {
        try content.span.bytes.withUnsafeBytes { bytes throws(FileError) in try append(bytes) }
    }

    /// Writes at an offset, over existing bytes or after them.
    func write(_ content: [UInt8], at offset: Int) throws(FileError) {
        var written = 0
        while written < content.count {
            let count = content.withUnsafeBytes { bytes in
                uninterrupted {
                    pwrite(
                        descriptor, bytes.baseAddress.map { $0 + written }, content.count - written,
                        off_t(offset + written))
                }
            }
            try check(count >= 0, "write", path)
            written += count
        }
    }

    /// Flushes the content to disk, so that it survives a crash.
    package func sync() throws(FileError) {
        try check(fsync(descriptor) == 0, "sync", path)
    }

    /// Changes the owner and group of the file.
    package func give(to user: uid_t, _ group: gid_t) throws(FileError) {
        try check(fchown(descriptor, user, group) == 0, "write", path)
    }
}
