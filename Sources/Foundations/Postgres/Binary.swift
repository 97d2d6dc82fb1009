import Values

/// Big-endian reading of PostgreSQL's binary formats; `nil` where bytes are missing.
struct BinaryReader {
    private var rest: UnsafeRawBufferPointer

    init(_ bytes: UnsafeRawBufferPointer) {
        rest = bytes
    }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func integer<Integer: FixedWidthInteger>(_: Integer.Type) -> Integer? {
        let size = MemoryLayout<Integer>.size
        guard rest.count >= size else { return nil }
        defer { rest = UnsafeRawBufferPointer(rebasing: rest[size...]) }
        return Integer(bigEndian: rest.loadUnaligned(as: Integer.self))
    }

    mutating func bytes(_ count: Int) -> UnsafeRawBufferPointer? {
        guard count >= 0, rest.count >= count else { return nil }
        defer { rest = UnsafeRawBufferPointer(rebasing: rest[count...]) }
        return UnsafeRawBufferPointer(rebasing: rest[..<count])
    }
}

/// The values of PostgreSQL's fixed-size formats; `nil` if the bytes are malformed or the value is infinite.
enum BinaryValue {
    static func integer(_ bytes: UnsafeRawBufferPointer) -> Int64? {
        switch bytes.count {
        case 2: Int64(Int16(bigEndian: bytes.loadUnaligned(as: Int16.self)))
        case 4: Int64(Int32(bigEndian: bytes.loadUnaligned(as: Int32.self)))
        case 8: Int64(bigEndian: bytes.loadUnaligned(as: Int64.self))
        default: nil
        }
    }

    static func double(_ bytes: UnsafeRawBufferPointer) -> Double? {
        switch bytes.count {
        case 4: Double(Float(bitPattern: UInt32(bigEndian: bytes.loadUnaligned(as: UInt32.self))))
        case 8: Double(bitPattern: UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)))
        default: nil
        }
    }

    /// Truncated to milliseconds; also `nil` if the moment has no text form in JSON.
    static func timestamp(_ bytes: UnsafeRawBufferPointer) -> Timestamp? {
        guard bytes.count == 8 else { return nil }
        let microseconds = Int64(bigEndian: bytes.loadUnaligned(as: Int64.self))
        guard microseconds != .max, microseconds != .min else { return nil }
        let (quotient, remainder) = microseconds.quotientAndRemainder(dividingBy: 1000)
        let milliseconds =
            quotient - (remainder < 0 ? 1 : 0) + PostgresEpoch.milliseconds
        guard Timestamp.writable.contains(milliseconds) else { return nil }
        return Timestamp(milliseconds: milliseconds)
    }

    static func day(_ bytes: UnsafeRawBufferPointer) -> Day? {
        guard bytes.count == 4 else { return nil }
        let days = Int32(bigEndian: bytes.loadUnaligned(as: Int32.self))
        let since1970 = Int(days) + PostgresEpoch.days
        guard (-719_162...2_932_896).contains(since1970) else { return nil }
        return Day(daysSince1970: since1970)
    }
}

/// The head of an array in binary format: its dimensions, then the elements with their lengths.
struct BinaryArray {
    let element: PostgresType
    let dimensions: [Int]
    private(set) var elements: BinaryReader

    /// Also `nil` if more elements are announced than there are bytes for, so that nothing loops up to a
    /// made-up number.
    init?(_ bytes: UnsafeRawBufferPointer) {
        var reader = BinaryReader(bytes)
        guard let count = reader.integer(Int32.self), (0...6).contains(count),
            reader.integer(Int32.self) != nil, let oid = reader.integer(UInt32.self)
        else { return nil }
        var dimensions: [Int] = []
        for _ in 0..<count {
            guard let size = reader.integer(Int32.self), size > 0,
                reader.integer(Int32.self) != nil
            else { return nil }
            dimensions.append(Int(size))
        }
        var capacity = bytes.count / 4
        for size in dimensions { capacity /= size }
        guard capacity > 0 else { return nil }
        element = PostgresType(oid: oid)
        self.dimensions = dimensions
        elements = reader
    }

    /// The next element: `.some(nil)` for a null, `nil` if the array is malformed.
    mutating func next() -> UnsafeRawBufferPointer?? {
        guard let length = elements.integer(Int32.self) else { return nil }
        if length < 0 { return .some(nil) }
        guard let bytes = elements.bytes(Int(length)) else { return nil }
        return .some(bytes)
    }
}
