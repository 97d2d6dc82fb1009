/// Puts a ZIP file together in memory, whose files are deflated as their content comes: what is kept is what was
/// packed, and 300 KB for the file that is being packed.
///
/// libzip, by which `ZipWriter` writes, cannot do that: it takes a file as a source that it reads when the archive is
/// closed. Rows that a cursor brings on a loop would have to be kept unpacked until then, in memory or in a file.
///
/// The bytes depend on nothing but names and content: every file is dated 1980-01-01 (APPNOTE.TXT 6.3.10, sections
/// 4.3.7, 4.3.12 and 4.3.16; no ZIP64, so that file and archive stay under 4 GiB). Calls block and must not overlap.
package final class ZipPacker: @unchecked Sendable {
    /// A file that is packed.
    private struct Entry {
        let name: [UInt8]
        /// Where its local header begins.
        let offset: UInt32
        let checksum: UInt32
        let packedCount: UInt32
        let count: UInt32
    }

    /// The file that is being packed.
    private final class Current {
        let name: String
        var count = 0
        var packed: [UInt8] = []
        private(set) var writer: GzipWriter?

        init(_ name: String) {
            self.name = name
            writer = GzipWriter { [unowned self] in packed += $0 }
        }

        func end() throws {
            try writer?.finish()
            writer = nil
        }
    }

    /// What GzipWriter puts around the deflated bytes: ten before; checksum and length, four each, behind.
    private static let gzipHeaderCount = 10
    private static let gzipTrailerCount = 8
    private static let entriesMax = 65_534
    private static let bytesMax = 0xFFFF_FFFE

    private var bytes: [UInt8] = []
    private var entries: [Entry] = []
    private var current: Current?

    package init() {}

    /// Begins a file, and ends the one before; a name can be begun once.
    package func begin(_ name: String) throws {
        try end()
        guard !entries.contains(where: { $0.name.elementsEqual(name.utf8) }) else {
            throw ArchiveError(.duplicateName, entry: name)
        }
        guard entries.count < Self.entriesMax, (1...0xFFFF).contains(name.utf8.count) else {
            throw ArchiveError(.notWritable, entry: name)
        }
        current = Current(name)
    }

    /// Adds content to the file that was begun last.
    package func write(_ content: [UInt8]) throws {
        guard let current else { throw ArchiveError(.notWritable) }
        current.count += content.count
        try current.writer?.write(content)
    }

    /// Ends the archive and answers it; nothing can be added to it any more.
    package func finish() throws -> [UInt8] {
        try end()
        let directory = bytes.count
        for entry in entries { append(directoryEntry: entry) }
        let size = bytes.count - directory
        guard bytes.count <= Self.bytesMax else { throw ArchiveError(.tooLarge) }
        append(UInt32(0x0605_4B50), UInt32(0))
        append(UInt16(entries.count), UInt16(entries.count))
        append(UInt32(size), UInt32(directory))
        append(UInt16(0))
        defer { bytes = [] }
        return bytes
    }

    private func end() throws {
        guard let current else { return }
        self.current = nil
        try current.end()
        let packed = current.packed.dropFirst(Self.gzipHeaderCount).dropLast(Self.gzipTrailerCount)
        guard bytes.count + packed.count <= Self.bytesMax, current.count <= Self.bytesMax else {
            throw ArchiveError(.tooLarge, entry: current.name)
        }
        let checksum = current.packed.suffix(Self.gzipTrailerCount).prefix(4).reversed()
            .reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        let entry = Entry(
            name: Array(current.name.utf8), offset: UInt32(bytes.count), checksum: checksum,
            packedCount: UInt32(packed.count), count: UInt32(current.count))
        append(UInt32(0x0403_4B50))
        append(facts: entry)
        append(UInt16(0))
        bytes += entry.name
        bytes += packed
        entries.append(entry)
    }

    private func append(directoryEntry entry: Entry) {
        append(UInt32(0x0201_4B50))
        // Made by version 2.0 on a system that says nothing of itself.
        append(UInt16(20))
        append(facts: entry)
        // No extra field, no comment, first disk, no attributes.
        append(UInt16(0), UInt16(0), UInt16(0), UInt16(0))
        append(UInt32(0), entry.offset)
        bytes += entry.name
    }

    /// What both headers of a file have: version 2.0, names in UTF-8, deflated, midnight on the first of January 1980,
    /// checksum, both sizes, and the length of the name.
    private func append(facts entry: Entry) {
        append(UInt16(20), UInt16(1 << 11), UInt16(8), UInt16(0), UInt16(1 << 5 | 1))
        append(entry.checksum, entry.packedCount, entry.count)
        append(UInt16(entry.name.count))
    }

    private func append<Word: FixedWidthInteger>(_ words: Word...) {
        for word in words {
            withUnsafeBytes(of: word.littleEndian) { bytes += $0 }
        }
    }
}
