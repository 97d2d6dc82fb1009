import Foundation
import Testing

@testable import Archive

/// Archives that are packed in memory, piece by piece, and read by libzip.
@Suite struct ZipPacking {
    @Test func `what was packed in pieces is read back file by file`() throws {
        let long = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* $0 >> 7) }
        let packer = ZipPacker()
        try packer.begin("long.bin")
        for start in stride(from: 0, to: long.count, by: 7_001) {
            try packer.write(Array(long[start..<min(start + 7_001, long.count)]))
        }
        try packer.begin("empty")
        try packer.begin("grüße.txt")
        try packer.write(Array("one".utf8))
        try packer.write(Array(" two".utf8))
        let bytes = try packer.finish()
        let files = try unpacked(bytes)
        #expect(files.map(\.name) == ["long.bin", "empty", "grüße.txt"])
        #expect(files.map(\.content) == [long, [], Array("one two".utf8)])
    }

    @Test func `the bytes depend on nothing but the content`() throws {
        func packed() throws -> [UInt8] {
            let packer = ZipPacker()
            try packer.begin("a")
            try packer.write(Array("same".utf8))
            return try packer.finish()
        }
        let (one, other) = (try packed(), try packed())
        #expect(one == other)
    }

    @Test func `an archive without files is one`() throws {
        let files = try unpacked(try ZipPacker().finish())
        #expect(files.isEmpty)
    }

    @Test func `a name can be packed once, and content needs a name`() throws {
        let packer = ZipPacker()
        let nameless = #expect(throws: ArchiveError.self) { try packer.write([1]) }
        #expect(nameless?.code == .notWritable)
        try packer.begin("a")
        let error = #expect(throws: ArchiveError.self) { try packer.begin("a") }
        #expect(error?.code == .duplicateName)
    }

    private func unpacked(_ bytes: [UInt8]) throws -> [(name: String, content: [UInt8])] {
        let path = NSTemporaryDirectory() + "/packed-\(UUID().uuidString).zip"
        defer { try? FileManager.default.removeItem(atPath: path) }
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        let reader = try ZipReader(path: path)
        return try reader.entries.map { (name: $0.name, content: try reader.read($0)) }
    }
}
