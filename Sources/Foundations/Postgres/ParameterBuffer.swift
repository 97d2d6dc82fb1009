import CLibpq
import Values

/// The parameters of one statement in PostgreSQL's binary format, laid out for libpq.
///
/// Reused between statements, so that encoding allocates nothing once it has grown.
struct ParameterBuffer {
    fileprivate private(set) var bytes: [UInt8] = []
    /// The offset of each value; negative for null.
    fileprivate private(set) var offsets: [Int] = []
    fileprivate private(set) var lengths: [Int32] = []
    fileprivate private(set) var formats: [Int32] = []
    private var pointers: [UnsafePointer<CChar>?] = []

    /// Replaces the contents of the buffer with these values.
    mutating func encode(_ values: [PostgresValue]) {
        bytes.removeAll(keepingCapacity: bytes.capacity < 1 << 20)
        offsets.removeAll(keepingCapacity: true)
        lengths.removeAll(keepingCapacity: true)
        while formats.count < values.count { formats.append(1) }
        for value in values {
            let start = bytes.count
            if append(value) {
                offsets.append(start)
                lengths.append(Int32(bytes.count - start))
            } else {
                offsets.append(-1)
                lengths.append(0)
            }
        }
        // An empty value needs an address too: a null pointer would mean null.
        bytes.append(0)
    }

    /// Lends the arrays that `PQsendQueryPrepared` and its siblings take.
    mutating func withPointers<Result>(
        _ body: (
            Int32, UnsafePointer<UnsafePointer<CChar>?>?, UnsafePointer<Int32>?,
            UnsafePointer<Int32>?
        ) -> Result
    ) -> Result {
        pointers.removeAll(keepingCapacity: true)
        return bytes.withUnsafeBytes { raw in
            for offset in offsets {
                pointers.append(
                    offset < 0
                        ? nil
                        : raw.baseAddress?.advanced(by: offset).assumingMemoryBound(
                            to: CChar.self))
            }
            return pointers.withUnsafeBufferPointer { pointers in
                lengths.withUnsafeBufferPointer { lengths in
                    formats.withUnsafeBufferPointer { formats in
                        body(
                            Int32(pointers.count), pointers.baseAddress, lengths.baseAddress,
                            formats.baseAddress)
                    }
                }
            }
        }
    }

    /// Appends the binary form; false for null.
    private mutating func append(_ value: PostgresValue) -> Bool {
        switch value {
        case .null: return false
        case .bool(let value): bytes.append(value ? 1 : 0)
        case .int2(let value): append(integer: value)
        case .int4(let value): append(integer: value)
        case .int8(let value): append(integer: value)
        case .float8(let value): append(integer: value.bitPattern)
        case .text(let value): bytes.append(contentsOf: value.utf8)
        case .bytea(let value): bytes.append(contentsOf: value)
        case .uuid(let value):
            append(integer: value.high)
            append(integer: value.low)
        case .timestamptz(let value):
            append(integer: PostgresEpoch.microseconds(of: value))
        case .date(let value):
            append(integer: Int32(clamping: value.daysSince1970 - PostgresEpoch.days))
        case .jsonb(let value):
            bytes.append(1)
            bytes.append(contentsOf: value)
        case .array(let type, let elements): append(elements, of: type)
        }
        return true
    }

    private mutating func append(_ elements: [PostgresValue], of type: PostgresType) {
        append(integer: Int32(elements.isEmpty ? 0 : 1))
        let hasNull = elements.contains { if case .null = $0 { true } else { false } }
        append(integer: Int32(hasNull ? 1 : 0))
        append(integer: type.oid)
        guard !elements.isEmpty else { return }
        append(integer: Int32(elements.count))
        append(integer: Int32(1))
        for element in elements {
            let start = bytes.count
            append(integer: Int32(-1))
            guard append(element) else { continue }
            let length = UInt32(bytes.count - start - 4)
            for position in 0..<4 {
                bytes[start + position] = UInt8(
                    truncatingIfNeeded: length >> UInt32(24 - position * 8))
            }
        }
    }

    private mutating func append(integer: some FixedWidthInteger) {
        withUnsafeBytes(of: integer.bigEndian) { bytes.append(contentsOf: $0) }
    }
}

/// Parameters that are sent repeatedly, laid out for libpq once.
///
/// Immutable, so threads may share it.
final class FixedParameters: @unchecked Sendable {
    let count: Int32
    let values: UnsafePointer<UnsafePointer<CChar>?>
    let lengths: UnsafePointer<Int32>
    let formats: UnsafePointer<Int32>
    /// What the pointers point into; never changed.
    private let bytes: UnsafeMutableRawBufferPointer

    init(_ parameters: [PostgresValue]) {
        var buffer = ParameterBuffer()
        buffer.encode(parameters)
        count = Int32(parameters.count)
        bytes = .allocate(byteCount: buffer.bytes.count, alignment: 8)
        bytes.copyBytes(from: buffer.bytes)
        let start = UnsafePointer(bytes.assumingMemoryBound(to: CChar.self).baseAddress)
        values = Self.copy(
            buffer.offsets.map { offset in offset < 0 ? nil : start.map { $0 + offset } })
        lengths = Self.copy(buffer.lengths)
        formats = Self.copy(buffer.formats)
    }

    deinit {
        bytes.deallocate()
        values.deallocate()
        lengths.deallocate()
        formats.deallocate()
    }

    private static func copy<Element>(_ elements: [Element]) -> UnsafePointer<Element> {
        let memory = UnsafeMutablePointer<Element>.allocate(capacity: max(1, elements.count))
        memory.initialize(from: elements, count: elements.count)
        return UnsafePointer(memory)
    }
}

/// PostgreSQL counts time from 2000-01-01.
enum PostgresEpoch {
    static let days = 10_957
    static let milliseconds: Int64 = 946_684_800_000

    /// Microseconds since PostgreSQL's epoch; a moment out of range becomes the nearest limit, which PostgreSQL
    /// refuses.
    static func microseconds(of moment: Timestamp) -> Int64 {
        let (product, overflow) = (moment.milliseconds &- milliseconds)
            .multipliedReportingOverflow(by: 1000)
        return overflow ? (moment.milliseconds < 0 ? .min + 1 : .max - 1) : product
    }
}
