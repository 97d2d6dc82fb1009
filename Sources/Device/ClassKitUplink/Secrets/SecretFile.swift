public import Foundation

/// A folder of files that only their owner can read.
public struct SecretFile: SecretStore {
    private let folder: URL
    private let suffix: String

    /// - Parameters:
    ///   - folder: made with mode 0700 if it is not there.
    ///   - suffix: of the files' names.
    public init(folder: URL, suffix: String = "secret") {
        self.folder = folder
        self.suffix = suffix
    }

    public func copies(_ name: String) async throws -> [Data] {
        contents(name).map { [$0] } ?? []
    }

    func contents(_ name: String) -> Data? {
        FileManager.default.contents(atPath: file(name).path)
    }

    /// Writes a new file and renames it, so that there is always one that is whole.
    public func write(_ secret: Data, as name: String) async throws {
        try? FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700])
        let target = file(name)
        let new = target.path + ".new"
        unlink(new)
        let descriptor = open(new, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw Self.failure(new) }
        defer { close(descriptor) }
        let isWritten = secret.withUnsafeBytes { bytes in
            Glibc.write(descriptor, bytes.baseAddress, bytes.count) == bytes.count
        }
        guard isWritten, fsync(descriptor) == 0, rename(new, target.path) == 0 else {
            throw Self.failure(new)
        }
        try syncFolder()
    }

    public func remove(_ name: String) async throws {
        guard unlink(file(name).path) == 0 else {
            if errno == ENOENT { return }
            throw Self.failure(file(name).path)
        }
        try syncFolder()
    }

    private func file(_ name: String) -> URL {
        folder.appending(path: Data(SHA256.digest(name.utf8).prefix(12)).base64URL + "." + suffix)
    }

    private func syncFolder() throws {
        let descriptor = open(folder.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw Self.failure(folder.path) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw Self.failure(folder.path) }
    }

    private static func failure(_ path: String) -> UplinkError {
        .secrets("\(path): \(String(cString: strerror(errno)))")
    }
}
