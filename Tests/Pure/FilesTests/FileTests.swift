import Foundation
import Testing

@testable import Files

@Suite final class FileCalls {
    private let folder = NSTemporaryDirectory() + "files-" + UUID().uuidString

    init() throws { try Folder.make(folder, mode: 0o700) }

    deinit { try? Folder.remove(folder) }

    @Test func `appended bytes read back whole, in pieces and at offsets`() throws {
        let path = "\(folder)/file"
        let content = (0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
        let written = try File.creating(path, mode: 0o600)
        try written.append(Array(content[..<70_000]))
        try content[70_000...].withUnsafeBytes { try written.append($0) }
        try written.sync()

        #expect(try File.contents(of: path, limit: content.count) == content)
        let file = try File.reading(path)
        #expect(try file.size() == content.count)
        #expect(try file.isRegular())
        #expect(try file.bytes(in: 5..<5) == [])
        #expect(try file.bytes(in: 69_999..<150_000) == Array(content[69_999..<150_000]))
        var pieces: [[UInt8]] = []
        while let piece = try file.next(upTo: 4096) { pieces.append(piece) }
        #expect(pieces.allSatisfy { $0.count <= 4096 })
        #expect(pieces.flatMap { $0 } == content)
    }

    @Test func `a file stays readable after its name is removed`() throws {
        let path = "\(folder)/file"
        try File.creating(path, mode: 0o600).append([1, 2, 3])
        let file = try File.reading(path)
        try Folder.remove(path)
        #expect(try file.bytes(in: 0..<3) == [1, 2, 3])
    }

    @Test func `impossible requests are refused by name and cause`() throws {
        let path = "\(folder)/file"
        try File.creating(path, mode: 0o600).append([1, 2, 3])
        #expect(throws: FileError("read", "\(folder)/none", ENOENT)) {
            try File.reading("\(folder)/none")
        }
        #expect(throws: FileError("write", path, EEXIST)) { try File.creating(path, mode: 0o600) }
        #expect(throws: FileError("read", path, EFBIG)) { try File.contents(of: path, limit: 2) }
        #expect(throws: FileError("read", path, EIO)) { try File.reading(path).bytes(in: 2..<4) }
        #expect(throws: FileError("write", path, EBADF)) { try File.reading(path).append([1]) }
        #expect(throws: FileError("write", "\(folder)/none", ENOENT)) {
            try UnnamedFile(in: "\(folder)/none")
        }
        let error = FileError("write", "/x", ENOSPC)
        #expect(error.description == "Cannot write /x: No space left on device")
        #expect(error.isForLackOfSpace && FileError("write", "/x", EDQUOT).isForLackOfSpace)
        #expect(!FileError("read", "/x", EIO).isForLackOfSpace)
        #expect(FileError("read", "/x", ENOENT).isForAbsence)
    }

    @Test func `a kernel file is read although it claims to be empty`() throws {
        #expect(try !File.contents(of: "/proc/self/stat", limit: 65_536).isEmpty)
    }

    @Test func `an overwritten file holds nothing of the old one`() throws {
        let path = "\(folder)/file"
        try File.creating(path, mode: 0o600).append([1, 2, 3])
        try File.overwriting(path, mode: 0o600).append([4])
        #expect(try File.contents(of: path, limit: 10) == [4])
    }

    @Test func `a file without a name leaves none, and is filled in any order`() throws {
        let file = try UnnamedFile(in: folder)
        #expect(Folder.names(in: folder).isEmpty)
        try file.append([1, 2, 3])
        try file.write([9], at: 1)
        try file.append([4])
        #expect(file.count == 4)
        #expect(try file.bytes(in: 0..<4) == [1, 9, 3, 4])
        #expect(try File.contents(of: file.path, limit: 10) == [1, 9, 3, 4])
    }
}
