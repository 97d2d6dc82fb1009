import Glibc
import School

/// A temporary file that has no name: nothing is left of it, however the process ends.
///
/// Used by one thread at a time.
final class SpoolFile: @unchecked Sendable {
    private let descriptor: Int32
    private(set) var count = 0

    /// Makes the folder where it is missing; only the process's own account can look into it.
    init(folder: String) throws(SpoolError) {
        try SpoolFile.make(folder)
        var template = Array("\(folder)/import-XXXXXX".utf8CString)
        descriptor = mkstemp(&template)
        guard descriptor >= 0 else { throw SpoolError(call: "mkstemp", number: errno) }
        unlink(template)
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    }

    deinit { close(descriptor) }

    /// Where this process, and no other, can open the file again.
    var path: String { "/proc/self/fd/\(descriptor)" }

    func append(_ bytes: [UInt8]) throws(SpoolError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let written = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            guard written >= 0 || errno == EINTR else {
                throw SpoolError(call: "write", number: errno)
            }
            rest = rest.dropFirst(max(0, written))
            count += max(0, written)
        }
    }

    /// Up to so many bytes from an offset on; empty at the end.
    func bytes(from offset: Int, upTo length: Int) throws(SpoolError) -> [UInt8] {
        var read = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: length) { buffer, filled in
            read = pread(descriptor, buffer.baseAddress, length, offset)
            filled = max(0, read)
        }
        guard read >= 0 else { throw SpoolError(call: "pread", number: errno) }
        return bytes
    }

    private static func make(_ folder: String) throws(SpoolError) {
        var path = ""
        for part in folder.split(separator: "/") {
            path += (path.isEmpty && !folder.hasPrefix("/") ? "" : "/") + part
            guard mkdir(path, 0o700) == 0 || errno == EEXIST || errno == EISDIR else {
                throw SpoolError(call: "mkdir", number: errno)
            }
        }
    }
}

/// The spool folder cannot be used; the log says why.
struct SpoolError: FileFailure, CustomStringConvertible {
    let call: String
    let number: Int32

    var description: String { "\(call) in the spool folder: \(String(cString: strerror(number)))" }
}
