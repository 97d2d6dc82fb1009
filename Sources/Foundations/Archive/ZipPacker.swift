import CZlib
import Files

/// Builds a ZIP archive in an unnamed file and deflates files as their content arrives. Only the 300 KB for the
/// current file are kept in memory.
///
/// `ZipWriter` uses libzip, which cannot do this: it reads a file's source only when the archive is closed.
/// Rows that a cursor delivers on a loop would have to be kept unpacked until then, in memory or in a file.
///
/// The bytes depend only on names and content: every file is dated 1980-01-01 (APPNOTE.TXT 6.3.10, sections
/// 4.3.7, 4.3.12 and 4.3.16; no ZIP64, so that file and archive stay under 4 GiB). Calls block and must not overlap.
package final class ZipPacker: @unchecked Sendable {
    /// A file in the archive.
    private struct Entry {
        let name: [UInt8]
        /// The offset of its local header.
        let offset: Int
        /// CRC-32 of the content so far.
        var checksum: UInt32 = 0
        var packedCount = 0
        var count = 0
    }

    private static let entriesMax = 65_534
    private static let bytesMax = 0xFFFF_FFFE

    private let file: UnnamedFile
    private var entries: [Entry] = []
    private var deflater: Deflater?
    /// The file being packed.
    private var current: Entry?

    /// - Parameter folder: selects the disk on which the archive is built.
    package init(in folder: String) throws {
        file = try UnnamedFile(in: folder)
    }

    /// Begins a file and ends the previous one; each name can be used once.
    package func begin(_ name: String) throws {
        try end()
        guard !entries.contains(where: { $0.name.elementsEqual(name.utf8) }) else {
            throw ArchiveError(.duplicateName, entry: name)
        }
        guard entries.count < Self.entriesMax, (1...0xFFFF).contains(name.utf8.count) else {
            throw ArchiveError(.notWritable, entry: name)
        }
        let entry = Entry(name: Array(name.utf8), offset: file.count)
        // Rewritten with checksum and sizes once they are known.
        try file.append(Self.localHeader(of: entry))
        current = entry
        deflater = Deflater(.none) { [unowned self] in try take($0) }
    }

    /// Adds content to the current file.
    package func write(_ content: [UInt8]) throws {
        guard let deflater, var entry = current else { throw ArchiveError(.notWritable) }
        // Given no bytes, zlib may return the initial checksum.
        guard !content.isEmpty else { return }
        entry.count += content.count
        entry.checksum = UInt32(crc32_z(UInt(entry.checksum), content, content.count))
        current = entry
        try content.withUnsafeBytes { try deflater.write($0) }
    }

    /// Ends the archive and returns it; nothing can be added after that.
    package func finish() throws -> UnnamedFile {
        try end()
        let directory = file.count
        for entry in entries { try file.append(Self.directoryEntry(entry)) }
        let size = file.count - directory
        guard file.count <= Self.bytesMax else { throw ArchiveError(.tooLarge) }
        try file.append(
            Self.bytes(UInt32(0x0605_4B50), UInt32(0))
                + Self.bytes(UInt16(entries.count), UInt16(entries.count))
                + Self.bytes(UInt32(size), UInt32(directory)) + Self.bytes(UInt16(0)))
        return file
    }

    private func take(_ packed: UnsafeRawBufferPointer) throws {
        try file.append(Array(packed))
        current?.packedCount += packed.count
    }

    private func end() throws {
        try deflater?.finish()
        deflater = nil
        guard let entry = current else { return }
        current = nil
        guard file.count <= Self.bytesMax, entry.count <= Self.bytesMax else {
            throw ArchiveError(.tooLarge, entry: String(decoding: entry.name, as: UTF8.self))
        }
        try file.write(Self.localHeader(of: entry), at: entry.offset)
        entries.append(entry)
    }

    private static func localHeader(of entry: Entry) -> [UInt8] {
        bytes(UInt32(0x0403_4B50)) + facts(entry) + bytes(UInt16(0)) + entry.name
    }

    private static func directoryEntry(_ entry: Entry) -> [UInt8] {
        // Made by version 2.0 on an unspecified system; no extra field, no comment, first disk, no attributes.
        bytes(UInt32(0x0201_4B50)) + bytes(UInt16(20)) + facts(entry)
            + bytes(UInt16(0), UInt16(0), UInt16(0), UInt16(0))
            + bytes(UInt32(0), UInt32(truncatingIfNeeded: entry.offset)) + entry.name
    }

    /// The part common to both headers of a file: version 2.0, names in UTF-8, deflated, midnight on 1 January
    /// 1980, checksum, both sizes, and the length of the name.
    private static func facts(_ entry: Entry) -> [UInt8] {
        bytes(UInt16(20), UInt16(1 << 11), UInt16(8), UInt16(0), UInt16(1 << 5 | 1))
            + bytes(
                entry.checksum, UInt32(truncatingIfNeeded: entry.packedCount),
                UInt32(truncatingIfNeeded: entry.count)) + bytes(UInt16(entry.name.count))
    }

    private static func bytes<Word: FixedWidthInteger>(_ words: Word...) -> [UInt8] {
        words.flatMap { word in withUnsafeBytes(of: word.littleEndian) { Array($0) } }
    }
}
