/// Examines the end of a ZIP file before libzip does, which would keep any number of entries in memory.
enum ZipDirectory {
    /// The end record with the longest comment after it, and the two Zip64 records before it.
    private static let tailLength = 22 + 65_535 + 20 + 56

    /// Throws if the archive announces more entries than allowed.
    static func check(_ bytes: any ArchiveBytes, limits: ArchiveLimits) throws(ArchiveError) {
        let tail = try end(of: bytes)
        for position in tail.indices where position + 20 <= tail.count {
            let rest = tail[position...]
            if let announced = announcedEntries(rest), announced > UInt64(limits.entries) {
                throw ArchiveError(.tooManyEntries)
            }
            if rest.starts(with: [0x50, 0x4B, 6, 7]),
                number(rest.dropFirst(8).prefix(8)) < UInt64(bytes.size - tail.count)
            {
                throw ArchiveError(.damaged)
            }
        }
    }

    private static func end(of bytes: any ArchiveBytes) throws(ArchiveError) -> [UInt8] {
        let start = max(0, bytes.size - tailLength)
        var tail: [UInt8] = []
        do {
            while start + tail.count < bytes.size {
                tail += try bytes.bytes(from: start + tail.count, atMost: tailLength - tail.count)
            }
        } catch {
            throw ArchiveError(.notReadable)
        }
        return tail
    }

    /// How many entries an end record announces; `nil` if there is no such record.
    ///
    /// Whichever record libzip chooses, it is among those examined here: a Zip64 locator that points elsewhere
    /// is refused, and so is a count that is only in a Zip64 record (0xFFFF).
    private static func announcedEntries(_ bytes: ArraySlice<UInt8>) -> UInt64? {
        if bytes.starts(with: [0x50, 0x4B, 5, 6]) { return number(bytes.dropFirst(10).prefix(2)) }
        if bytes.starts(with: [0x50, 0x4B, 6, 6]) { return number(bytes.dropFirst(32).prefix(8)) }
        return nil
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> UInt64 {
        bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
}
