import Files
import Foundation
import RandomKit
import Testing
import Values

@testable import Archive

/// Archives that are packed piece by piece, and read by libzip.
@Suite struct ZipPacking {
    @Test func `an archive packed in pieces reads back file by file`() throws {
        let long = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* $0 >> 7) }
        let packer = try newPacker()
        try packer.begin("long.bin")
        for start in stride(from: 0, to: long.count, by: 7_001) {
            try packer.write(Array(long[start..<min(start + 7_001, long.count)]))
        }
        try packer.begin("empty")
        try packer.begin("grüße.txt")
        try packer.write(Array("one".utf8))
        try packer.write(Array(" two".utf8))
        let bytes = try content(packer.finish())
        let files = try unpacked(bytes)
        #expect(files.map(\.name) == ["long.bin", "empty", "grüße.txt"])
        #expect(files.map(\.content) == [long, [], Array("one two".utf8)])
    }

    @Test func `the bytes depend on nothing but the content`() throws {
        func packed() throws -> [UInt8] {
            let packer = try newPacker()
            try packer.begin("a")
            try packer.write(Array("same".utf8))
            return try content(packer.finish())
        }
        let (one, other) = (try packed(), try packed())
        #expect(one == other)
    }

    @Test func `an archive without files is valid`() throws {
        let files = try unpacked(content(newPacker().finish()))
        #expect(files.isEmpty)
    }

    @Test func `a name can be packed once, and content needs a name`() throws {
        let packer = try newPacker()
        let nameless = #expect(throws: ArchiveError.self) { try packer.write([1]) }
        #expect(nameless?.code == .notWritable)
        try packer.begin("a")
        let error = #expect(throws: ArchiveError.self) { try packer.begin("a") }
        #expect(error?.code == .duplicateName)
    }

    @Test(arguments: [1, 10, 1_000, 65_536, 300_000])
    func `content that hardly compresses survives at any length`(count: Int) throws {
        var dice = SplitMix64(seed: 17)
        let content = dice.bytes(count)
        let packer = try newPacker()
        try packer.begin("random")
        try packer.write(content)
        try packer.begin("behind")
        try packer.write([1, 2, 3])
        let files = try unpacked(self.content(packer.finish()))
        #expect(files.map(\.content) == [content, [1, 2, 3]])
    }

    @Test func `a missing folder is reported, and nothing is left in an existing one`() throws {
        #expect(throws: FileError("write", "/nowhere/at/all", ENOENT)) {
            try ZipPacker(in: "/nowhere/at/all")
        }
        let folder = NSTemporaryDirectory() + "/packing-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let packer = try ZipPacker(in: folder)
        try packer.begin("a")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder).isEmpty)
    }

    private func newPacker() throws -> ZipPacker { try ZipPacker(in: NSTemporaryDirectory()) }

    private func content(_ file: UnnamedFile) throws -> [UInt8] {
        try file.bytes(in: 0..<file.count)
    }

    private func unpacked(_ bytes: [UInt8]) throws -> [(name: String, content: [UInt8])] {
        let path = NSTemporaryDirectory() + "/packed-\(UUID().uuidString).zip"
        defer { try? FileManager.default.removeItem(atPath: path) }
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        let reader = try ZipReader(path: path)
        return try reader.entries.map { (name: $0.name, content: try reader.read($0)) }
    }
}
