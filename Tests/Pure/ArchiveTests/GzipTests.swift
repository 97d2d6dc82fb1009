import Archive
import Testing
import Values

@Suite struct Gzip {
    @Test(arguments: [1, 6, 9])
    func `ten megabytes are packed and unpacked in small pieces`(level: Int) throws {
        var dice = SplitMix64(seed: UInt64(level))
        let block = dice.compressible(100_000)
        let twice = block + block
        var packed: [[UInt8]] = []
        let writer = GzipWriter(level: level) { packed.append(Array($0)) }
        for _ in 0..<100 { try writer.write(block) }
        try writer.finish()
        #expect(packed.allSatisfy { $0.count <= 64 * 1024 })

        var rest = packed[...]
        let reader = GzipReader { rest.popFirst() }
        var matches = true
        var position = 0
        while let piece = try reader.next() {
            #expect(piece.count <= 64 * 1024)
            let start = position % block.count
            matches = matches && twice[start..<start + piece.count] == piece[...]
            position += piece.count
        }
        #expect(matches)
        #expect(position == 10_000_000)
    }

    @Test func `the bytes depend on the content alone`() throws {
        let one = try packed(Array("content".utf8))
        #expect(one == (try packed(Array("content".utf8))))
        #expect(Array(one[..<10]) == [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 0xFF])
    }

    @Test(arguments: [0, 1, 65_535, 65_536, 65_537, 131_072])
    func `content of any length comes back`(length: Int) throws {
        let content = [UInt8](repeating: 7, count: length)
        #expect(try unpacked(try packed(content)) == content)
        #expect(try unpacked(try packed(content), pieceLength: 1) == content)
    }

    @Test func `several members follow each other`() throws {
        let bytes = try packed([1, 2]) + packed([]) + packed([3])
        #expect(try unpacked(bytes) == [1, 2, 3])
        #expect(try unpacked(bytes, pieceLength: 1) == [1, 2, 3])
    }

    @Test func `a stream cut short is an error at every byte`() throws {
        let bytes = try packed(Array("some content".utf8))
        for end in 0..<bytes.count {
            #expect(throws: ArchiveError.self) { try unpacked(Array(bytes[..<end])) }
        }
    }

    @Test func `damage and trailing bytes are detected`() throws {
        let bytes = try packed(Array("some content".utf8))
        for index in bytes.indices where ![4, 5, 6, 7, 8, 9].contains(index) {
            var damaged = bytes
            damaged[index] ^= 0x15
            #expect(throws: ArchiveError.self, "at byte \(index)") { try unpacked(damaged) }
        }
        #expect(throws: ArchiveError.self) { try unpacked(bytes + [0, 0]) }
        #expect(throws: ArchiveError.self) { try unpacked([]) }
    }

    @Test func `unpacking stops at its limit`() throws {
        let bytes = try packed([UInt8](repeating: 0, count: 5_000_000))
        var rest = [bytes][...]
        let reader = GzipReader(limit: 1_000_000) { rest.popFirst() }
        var total = 0
        let error = refusal { while let piece = try reader.next() { total += piece.count } }
        #expect(error?.code == .tooLarge)
        #expect(total <= 1_000_000)
    }

    @Test func `errors from sink and source propagate`() throws {
        struct Full: Error {}
        let writer = GzipWriter { _ in throw Full() }
        #expect(throws: Full.self) {
            try writer.write([1])
            try writer.finish()
        }
        let reader = GzipReader { throw Full() }
        #expect(throws: Full.self) { try reader.next() }
    }

    private func packed(_ content: [UInt8]) throws -> [UInt8] {
        var bytes: [UInt8] = []
        let writer = GzipWriter { bytes += $0 }
        try writer.write(content)
        try writer.finish()
        return bytes
    }

    private func unpacked(_ bytes: [UInt8], pieceLength: Int = 1_000_000) throws -> [UInt8] {
        var rest = bytes[...]
        let reader = GzipReader {
            let piece = rest.prefix(pieceLength)
            rest = rest.dropFirst(pieceLength)
            return piece.isEmpty ? nil : Array(piece)
        }
        var content: [UInt8] = []
        while let piece = try reader.next() { content += piece }
        return content
    }
}
