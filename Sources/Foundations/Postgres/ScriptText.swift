import Files
import Glibc

/// The text of an SQL file: a migration, a policy, a seed. Only made from a file or a part of one.
package struct ScriptText: Sendable {
    package let path: String
    /// The bytes of the file, for a digest.
    package let bytes: [UInt8]

    /// A part of a file.
    init(path: String, bytes: [UInt8]) {
        self.path = path
        self.bytes = bytes
    }

    /// Reads a file of at most 16 MiB without NUL.
    package init(file path: String) throws(FileError) {
        self.path = path
        let content = try File.contents(of: path, limit: 16 << 20)
        guard !content.contains(0) else { throw FileError("read", path, EILSEQ) }
        bytes = content
    }
}
