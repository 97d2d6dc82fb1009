import Archive
import Crypto
import Files

/// A file of a folder while it is written: counted, digested, and synced when finished.
///
/// Used by one thread at a time.
final class OutputFile {
    /// The manifest's entry for a file.
    struct Summary {
        let name: String
        let bytes: Int
        let digest: SHA256Digest
    }

    private let name: String
    private let file: File
    private let digest = RunningSHA256()
    private var bytes = 0

    init(_ name: String, in folder: String) throws(FileError) {
        self.name = name
        file = try File.creating("\(folder)/\(name)", mode: 0o640)
    }

    func write(_ content: UnsafeRawBufferPointer) throws(FileError) {
        digest.update(content)
        bytes += content.count
        try file.append(content)
    }

    /// Makes the content durable.
    func finish() throws(FileError) -> Summary {
        try file.sync()
        return Summary(name: name, bytes: bytes, digest: digest.digest())
    }

    /// Writes a whole file.
    static func write(
        _ content: [UInt8], as name: String, in folder: String
    ) throws -> Summary {
        let file = try OutputFile(name, in: folder)
        try content.withUnsafeBytes { try file.write($0) }
        return try file.finish()
    }
}

/// A compressed file of rows. Its bytes depend on the rows alone.
final class PackedFile {
    private let file: OutputFile
    private let gzip: GzipWriter
    /// Rows are short; zlib works better on longer pieces.
    private var waiting: [UInt8] = []
    private(set) var records = 0

    init(_ name: String, in folder: String) throws {
        let file = try OutputFile(name, in: folder)
        self.file = file
        gzip = GzipWriter { try file.write($0) }
        waiting.reserveCapacity(128 * 1024)
    }

    func write(record: UnsafeRawBufferPointer) throws {
        records += 1
        waiting.append(contentsOf: record)
        guard waiting.count >= 64 * 1024 else { return }
        try gzip.write(waiting)
        waiting.removeAll(keepingCapacity: true)
    }

    func finish() throws -> OutputFile.Summary {
        try gzip.write(waiting)
        try gzip.finish()
        return try file.finish()
    }
}
