import Glibc

/// A file without a name, for data too large for memory: it exists as long as something refers to it, and
/// disappears with the process, however that ends.
///
/// Calls block. It may be read from any thread once writing is over.
package final class UnnamedFile: @unchecked Sendable {
    private let file: File
    /// In bytes.
    package private(set) var count = 0

    /// - Parameter folder: selects the disk to put it on.
    package init(in folder: String) throws(FileError) {
        var path = Array("\(folder)/homeroom-XXXXXX".utf8CString)
        let descriptor = mkstemp(&path)
        try check(descriptor >= 0, "write", folder)
        unlink(path)
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        file = File(descriptor, path: folder)
    }

    /// A path where only this process can open the file again.
    package var path: String { "/proc/self/fd/\(file.descriptor)" }

    package func append(_ bytes: [UInt8]) throws(FileError) {
        try write(bytes, at: count)
    }

    package func write(_ bytes: [UInt8], at offset: Int) throws(FileError) {
        try file.write(bytes, at: offset)
        count = max(count, offset + bytes.count)
    }

    /// All bytes of this range.
    package func bytes(in range: Range<Int>) throws(FileError) -> [UInt8] {
        try file.bytes(in: range)
    }
}
