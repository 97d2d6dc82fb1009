import Files
import Glibc

/// A look at the end of a ZIP file before libzip, which would keep any number of entries in memory.
enum ZipDirectory {
    /// The end record and the longest comment behind it, and the two records of Zip64 before it.
    private static let tailLength = 22 + 65_535 + 20 + 56

    /// Returns the size of the file, and throws if it announces more entries than allowed.
    static func check(path: String, limits: ArchiveLimits) throws(ArchiveError) -> Int {
        let (size, tail) = try end(of: path)
        for position in tail.indices where position + 20 <= tail.count {
            let rest = tail[position...]
            if let announced = announcedEntries(rest), announced > UInt64(limits.entries) {
                throw ArchiveError(.tooManyEntries)
            }
            if rest.starts(with: [0x50, 0x4B, 6, 7]),
                number(rest.dropFirst(8).prefix(8)) < UInt64(size - tail.count)
            {
                throw ArchiveError(.damaged)
            }
        }
        return size
    }

    /// The size of a regular file, and its last bytes.
    private static func end(of path: String) throws(ArchiveError) -> (size: Int, tail: [UInt8]) {
        do throws(FileError) {
            let file = try File.reading(path)
            guard try file.isRegular() else { throw FileError("read", path, EINVAL) }
            let size = try file.size()
            return (size, try file.bytes(in: max(0, size - tailLength)..<size))
        } catch {
            throw ArchiveError(.notReadable)
        }
    }

    /// How many entries an end record announces; `nil` where there is no such record.
    ///
    /// Whichever record libzip chooses, it is among those looked at here: a Zip64 locator that leads elsewhere is
    /// refused, and so is a count that only Zip64 could tell (0xFFFF).
    private static func announcedEntries(_ bytes: ArraySlice<UInt8>) -> UInt64? {
        if bytes.starts(with: [0x50, 0x4B, 5, 6]) { return number(bytes.dropFirst(10).prefix(2)) }
        if bytes.starts(with: [0x50, 0x4B, 6, 6]) { return number(bytes.dropFirst(32).prefix(8)) }
        return nil
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> UInt64 {
        bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
}
