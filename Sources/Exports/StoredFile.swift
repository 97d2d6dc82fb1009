import Glibc

/// A file that is read in places, and that stays readable when its name is gone.
///
/// From any thread.
final class StoredFile: Sendable {
    /// How much is read at once.
    static let pieceBytes = 65_536

    private let descriptor: Int32
    private let path: String
    /// In bytes.
    let count: Int

    /// `nil`: there is no such file.
    init?(_ path: String) throws(ExportError) {
        descriptor = open(path, O_RDONLY | O_CLOEXEC)
        self.path = path
        if descriptor < 0, errno == ENOENT {
            count = 0
            return nil
        }
        try check(descriptor >= 0, "read", path)
        var status = stat()
        try check(fstat(descriptor, &status) == 0, "read", path)
        count = Int(status.st_size)
    }

    deinit { close(descriptor) }

    /// The bytes in these places, all of them.
    func bytes(in range: Range<Int>) throws(ExportError) -> [UInt8] {
        var failed = false
        let bytes = [UInt8](unsafeUninitializedCapacity: range.count) { buffer, filled in
            while filled < range.count {
                let count = pread(
                    descriptor, buffer.baseAddress.map { $0 + filled }, range.count - filled,
                    range.lowerBound + filled)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else {
                    failed = true
                    return
                }
                filled += count
            }
        }
        try check(!failed, "read", path)
        return bytes
    }
}
