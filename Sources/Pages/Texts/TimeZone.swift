import Files
import Synchronization
import Values

/// A time zone of the IANA database, from the machine's files (RFC 8536).
package struct TimeZone: Sendable {
    /// Its name, such as `Europe/Zurich`.
    package let name: String
    /// Seconds since 1970 at which the offset changes, ascending, and the offsets from then on.
    private let changes: [(at: Int64, offset: Int)]
    /// Before the first change.
    private let firstOffset: Int
    /// After the last change.
    private let rule: TimeZoneRule?

    package static let utc = TimeZone(
        name: "UTC", changes: [], firstOffset: 0, rule: nil)

    private static let folder = "/usr/share/zoneinfo/"
    private static let known = Mutex<[String: TimeZone]>([:])

    /// The zone of that name; UTC, which pages then name, if the machine does not know it.
    package static func named(_ name: String) -> TimeZone {
        if let zone = known.withLock({ $0[name] }) { return zone }
        guard isName(name),
            let bytes = try? File.contents(of: folder + name, limit: 65_536),
            let zone = TimeZone(name: name, file: bytes)
        else { return .utc }
        known.withLock { $0[name] = zone }
        return zone
    }

    /// Whether it names a file below the folder.
    private static func isName(_ name: String) -> Bool {
        name.utf8.count <= 64 && !name.hasPrefix("/")
            && name.split(separator: "/", omittingEmptySubsequences: false).allSatisfy { part in
                part.first?.isLetter == true
                    && part.utf8.allSatisfy {
                        (0x30...0x39).contains($0) || (0x41...0x5A).contains($0)
                            || (0x61...0x7A).contains($0) || "_+-".utf8.contains($0)
                    }
            }
    }

    /// Seconds to add to UTC.
    package func offset(at seconds: Int64) -> Int {
        guard let last = changes.last, seconds >= (changes.first?.at ?? .max) else {
            return changes.isEmpty ? rule?.offset(at: seconds) ?? firstOffset : firstOffset
        }
        if seconds >= last.at, let rule { return rule.offset(at: seconds) }
        var (low, high) = (0, changes.count)
        while high - low > 1 {
            let middle = (low + high) / 2
            if changes[middle].at <= seconds { low = middle } else { high = middle }
        }
        return changes[low].offset
    }
}

extension TimeZone {
    /// Reads a file of version 2 or later; `nil` if it is not one.
    package init?(name: String, file: [UInt8]) {
        var reader = ZoneFileReader(file)
        guard let old = reader.head(), reader.skip(old.length(timeBytes: 4)),
            let head = reader.head(), let times = reader.integers(head.times, bytes: 8),
            let indices = reader.integers(head.times, bytes: 1),
            let types = reader.types(head.types),
            indices.allSatisfy({ types.indices.contains(Int($0)) }), let first = types.first,
            reader.skip(head.rest(timeBytes: 8))
        else { return nil }
        self.name = name
        changes = zip(times, indices).map { (at: $0, offset: types[Int($1)]) }
        firstOffset = first
        rule = TimeZoneRule(reader.footer())
    }
}

/// Reads the parts of a zone file one after the other.
private struct ZoneFileReader {
    /// How many of each a block holds.
    struct Head {
        let utcMarks, standardMarks, leaps, times, types, characters: Int

        func length(timeBytes: Int) -> Int {
            times * (timeBytes + 1) + types * 6 + rest(timeBytes: timeBytes)
        }

        /// What follows the types.
        func rest(timeBytes: Int) -> Int {
            characters + leaps * (timeBytes + 4) + standardMarks + utcMarks
        }
    }

    private let bytes: [UInt8]
    private var position = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    mutating func skip(_ count: Int) -> Bool {
        guard count >= 0, count <= bytes.count - position else { return false }
        position += count
        return true
    }

    mutating func head() -> Head? {
        guard bytes.dropFirst(position).starts(with: "TZif".utf8), skip(20),
            let counts = integers(6, bytes: 4)?.map({ Int($0) }),
            counts.allSatisfy({ (0...100_000).contains($0) })
        else { return nil }
        return Head(
            utcMarks: counts[0], standardMarks: counts[1], leaps: counts[2], times: counts[3],
            types: counts[4], characters: counts[5])
    }

    /// Big-endian integers; single bytes are unsigned, all others signed.
    mutating func integers(_ count: Int, bytes size: Int) -> [Int64]? {
        let start = position
        guard skip(count * size) else { return nil }
        return (0..<count).map { index in
            var value: UInt64 = 0
            for byte in bytes[(start + index * size)...].prefix(size) {
                value = value << 8 | UInt64(byte)
            }
            return size == 4 ? Int64(Int32(truncatingIfNeeded: value)) : Int64(bitPattern: value)
        }
    }

    /// The offsets of the types, in seconds.
    mutating func types(_ count: Int) -> [Int]? {
        let start = position
        guard count > 0, skip(count * 6) else { return nil }
        return (0..<count).map { index in
            let field = bytes[(start + index * 6)...].prefix(4)
            return Int(Int32(truncatingIfNeeded: field.reduce(UInt32(0)) { $0 << 8 | UInt32($1) }))
        }
    }

    /// The rule between two line feeds at the end.
    func footer() -> String {
        String(
            decoding: bytes.dropFirst(position + 1).prefix { $0 != UInt8(ascii: "\n") },
            as: UTF8.self)
    }
}
