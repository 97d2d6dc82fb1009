import Glibc

/// The text of an SQL file: a migration, a policy, a seed. Made of a file
/// or a part of one, and of nothing else.
package struct ScriptText: Sendable {
    package let path: String
    /// As the file holds them, for a digest.
    package let bytes: [UInt8]

    /// A part of a file.
    init(path: String, bytes: [UInt8]) {
        self.path = path
        self.bytes = bytes
    }

    /// Reads a file of at most 16 MiB without NUL.
    package init(file path: String) throws(ScriptError) {
        self.path = path
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw ScriptError(path: path, number: errno) }
        defer { close(descriptor) }
        var content: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = read(descriptor, &buffer, buffer.count)
            guard count >= 0 else { throw ScriptError(path: path, number: errno) }
            if count == 0 { break }
            content += buffer[..<count]
            guard content.count <= 16 << 20 else { throw ScriptError(path: path, number: EFBIG) }
        }
        guard !content.contains(0) else { throw ScriptError(path: path, number: EILSEQ) }
        bytes = content
    }
}

/// An SQL file that cannot be read.
package struct ScriptError: Error, Sendable, CustomStringConvertible {
    package let path: String
    package let number: Int32

    package var description: String { "\(path): \(String(cString: strerror(number)))" }
}
