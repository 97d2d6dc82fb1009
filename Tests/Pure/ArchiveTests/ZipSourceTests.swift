import Archive
import RandomKit
import Testing
import Values

/// Archives that are not files.
@Suite struct ZipSources {
    /// An archive in pieces that fails after some reads.
    private final class Pieces: ArchiveBytes {
        struct Gone: Error {}

        private let whole: [UInt8]
        private let length: Int
        private var readsLeft: Int
        private(set) var hasFailed = false

        init(_ whole: [UInt8], length: Int, reads: Int = .max) {
            self.whole = whole
            self.length = length
            readsLeft = reads
        }

        var size: Int { whole.count }

        func bytes(from offset: Int, atMost count: Int) throws -> ArraySlice<UInt8> {
            readsLeft -= 1
            guard readsLeft >= 0 else {
                hasFailed = true
                throw Gone()
            }
            guard offset < whole.count else { return [] }
            let end = min(whole.count, (offset / length + 1) * length, offset + count)
            return whole[offset..<end]
        }
    }

    private let archive = HandmadeZip(files: [.init("a.csv", "one"), .init("b.csv", "two")]).bytes

    @Test(arguments: [1, 7, 64, 1_000_000])
    func `an archive in pieces is read like a whole one`(length: Int) throws {
        let reader = try ZipReader(Pieces(archive, length: length))
        #expect(reader.entries.map(\.name) == ["a.csv", "b.csv"])
        for (entry, content) in zip(reader.entries.reversed(), ["two", "one"]) {
            #expect(try reader.read(entry) == Array(content.utf8))
        }
    }

    @Test func `an archive with an unreadable piece is refused, whichever piece it is`() {
        var reads = 0
        while true {
            let pieces = Pieces(archive, length: 7, reads: reads)
            let error = refusal {
                let reader = try ZipReader(pieces)
                for entry in reader.entries { _ = try reader.read(entry) }
            }
            #expect((error != nil) == pieces.hasFailed, "after \(reads) reads")
            guard pieces.hasFailed else { break }
            reads += 1
        }
        #expect(reads > 10)
    }

    @Test func `an empty input is not an archive`() {
        #expect(refusal { try ZipReader(Pieces([], length: 1)) }?.code == .notAnArchive)
    }
}
