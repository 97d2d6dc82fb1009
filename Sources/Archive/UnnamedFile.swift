import Glibc

/// A file without a name for what is too large for memory: it is there as long as somebody holds it, and gone with the
/// process, whatever ends it.
///
/// Calls block. It may be read from any thread once nothing is written any more.
package final class UnnamedFile: @unchecked Sendable {
    private let descriptor: Int32
    /// In bytes.
    package private(set) var count = 0

    /// - Parameter folder: on whose disk it lies.
    package init(in folder: String) throws(ArchiveError) {
        var path = Array("\(folder)/homeroom-XXXXXX".utf8CString)
        descriptor = mkstemp(&path)
        guard descriptor >= 0 else { throw ArchiveError(.notWritable) }
        unlink(path)
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    }

    deinit { close(descriptor) }

    func append(_ bytes: [UInt8]) throws(ArchiveError) {
        try write(bytes, at: count)
    }

    func write(_ bytes: [UInt8], at offset: Int) throws(ArchiveError) {
        var written = 0
        while written < bytes.count {
            let result = bytes.withUnsafeBytes {
                pwrite(
                    descriptor, $0.baseAddress.map { $0 + written }, bytes.count - written,
                    off_t(offset + written))
            }
            guard result >= 0 || errno == EINTR else { throw ArchiveError(.notWritable) }
            written += max(0, result)
        }
        count = max(count, offset + written)
    }

    /// The bytes in these places, all of them.
    package func bytes(in range: Range<Int>) throws(ArchiveError) -> [UInt8] {
        var failed = false
        let bytes = [UInt8](unsafeUninitializedCapacity: range.count) { buffer, filled in
            while filled < range.count {
                let result = pread(
                    descriptor, buffer.baseAddress.map { $0 + filled }, range.count - filled,
                    off_t(range.lowerBound + filled))
                if result < 0, errno == EINTR { continue }
                guard result > 0 else {
                    failed = true
                    return
                }
                filled += result
            }
        }
        guard !failed else { throw ArchiveError(.notReadable) }
        return bytes
    }
}
