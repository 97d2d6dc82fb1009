import Crypto
import EventLoop
import Files
import Glibc
import Synchronization

/// The key with which the secrets of schools are sealed: a file beside the database, never in it, which is made when
/// the first secret is stored. Without it, no secret opens, and administrators enter theirs again.
package final class CredentialKey: Sendable {
    /// The file cannot be used as a key.
    package struct Unusable: Error, CustomStringConvertible {
        let path: String
        package var description: String { "\(path) does not hold a key: 64 hexadecimal digits." }
    }

    private let path: String
    private let known = Mutex<SealingKey?>(nil)
    private let threads = BlockingThreads(count: 1, queueLimit: 256)

    /// - Parameter path: of the file; its folder is made when needed.
    package init(at path: String) {
        self.path = path
    }

    /// The key; `nil` if there is no file yet. Calls block.
    package func find() throws -> SealingKey? {
        if let key = known.withLock({ $0 }) { return key }
        let content: [UInt8]
        do throws(FileError) {
            content = try File.contents(of: path, limit: 4096)
        } catch {
            guard error.isForAbsence else { throw error }
            return nil
        }
        let key = try Self.read(content, path)
        known.withLock { $0 = key }
        return key
    }

    /// The key; makes the file if there is none. Of several processes that do, one wins, and all use its key.
    package func findOrMake() throws -> SealingKey {
        if let key = try find() { return key }
        let folder = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
        try Folder.make(folder, mode: 0o700)
        let aside = "\(path).\(getpid()).\(SecureRandom.word())"
        let file = try File.creating(aside, mode: 0o600)
        defer { unlink(aside) }
        try file.append(Self.text(SealingKey.random()))
        try file.sync()
        guard link(aside, path) == 0 || errno == EEXIST else {
            throw FileError("write", path, errno)
        }
        try Folder.sync(folder)
        guard let key = try find() else { throw FileError("read", path, ENOENT) }
        return key
    }

    /// What `find` says, for callers that must not block.
    package func toOpen() async throws -> SealingKey? {
        if let key = known.withLock({ $0 }) { return key }
        return try await threads.run { try self.find() }
    }

    /// What `findOrMake` says, for callers that must not block.
    package func toSeal() async throws -> SealingKey {
        if let key = known.withLock({ $0 }) { return key }
        return try await threads.run { try self.findOrMake() }
    }

    private static func text(_ key: [UInt8]) -> [UInt8] {
        let digits = Array("0123456789abcdef".utf8)
        return key.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] } + [UInt8(ascii: "\n")]
    }

    private static func read(_ content: [UInt8], _ path: String) throws -> SealingKey {
        var bytes: [UInt8] = []
        let digits = content.last == UInt8(ascii: "\n") ? content.dropLast() : content[...]
        guard digits.count == 2 * SealingKey.length else { throw Unusable(path: path) }
        for start in stride(from: digits.startIndex, to: digits.endIndex, by: 2) {
            let pair = String(decoding: digits[start..<(start + 2)], as: UTF8.self)
            guard let byte = UInt8(pair, radix: 16) else { throw Unusable(path: path) }
            bytes.append(byte)
        }
        guard let key = SealingKey(bytes) else { throw Unusable(path: path) }
        return key
    }
}
