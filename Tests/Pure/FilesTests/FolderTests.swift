import Foundation
import Testing

@testable import Files

@Suite final class Folders {
    private let folder = NSTemporaryDirectory() + "folders-" + UUID().uuidString

    deinit { try? Folder.remove(folder) }

    @Test(arguments: [false, true])
    func `a folder is created with its parents, once`(isDurable: Bool) throws {
        let path = "\(folder)/a/b"
        for _ in 0..<2 {
            try Folder.make(path, mode: 0o700, parents: 0o755, isDurable: isDurable)
        }
        #expect(Folder.exists(path))
        #expect(try mode(of: path) == 0o700)
        #expect(try mode(of: folder) == 0o755)
        try Folder.sync(path)
    }

    @Test func `an obstacle in its way is named`() throws {
        try Folder.make(folder, mode: 0o700)
        let path = "\(folder)/file"
        _ = try File.creating(path, mode: 0o600)
        #expect(throws: FileError("make the folder", path, EEXIST)) {
            try Folder.make(path, mode: 0o700)
        }
        #expect(throws: FileError("make the folder", "\(path)/below", ENOTDIR)) {
            try Folder.make("\(path)/below", mode: 0o700)
        }
        #expect(!Folder.exists(path))
        #expect(Folder.kind(of: path) == S_IFREG)
        #expect(Folder.kind(of: "\(folder)/none") == nil)
    }

    @Test func `names come in order, and disappear with what is removed`() throws {
        for name in ["b", "a", "c"] { try Folder.make("\(folder)/\(name)", mode: 0o700) }
        _ = try File.creating("\(folder)/c/file", mode: 0o600)
        symlink("\(folder)/a", "\(folder)/c/link")
        #expect(Folder.names(in: folder) == ["a", "b", "c"])
        try Folder.remove("\(folder)/c")
        try Folder.remove("\(folder)/none")
        #expect(Folder.names(in: folder) == ["a", "b"])
        try Folder.rename("\(folder)/b", to: "\(folder)/d")
        #expect(Folder.names(in: folder) == ["a", "d"])
        #expect(Folder.names(in: "\(folder)/none").isEmpty)
    }

    private func mode(of path: String) throws -> mode_t {
        var status = stat()
        try #require(stat(path, &status) == 0)
        return status.st_mode & 0o777
    }
}
