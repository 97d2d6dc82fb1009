import JSONBytes
import Testing

@testable import Postgres

/// Bytes that PostgreSQL would not send, found by fuzzing: they are refused, at no cost.
@Suite struct HostileBytes {
    @Test(
        arguments: [
            // More elements than there are bytes for, even where an inner dimension holds none.
            [0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 4, 0, 0, 0, 1, 0, 0],
            [0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 25, 0x7F, 0xFF, 0xFF, 0xFF, 0, 0, 0, 1],
            [
                0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 25, 0x7F, 0xFF, 0xFF, 0xFF, 0, 0, 0, 1, 0, 0, 0, 0,
                0, 0, 0, 1,
            ],
            // A length beyond the end, and an impossible count of dimensions.
            [0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 25, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 2, 97],
            [0, 0, 0, 7, 0, 0, 0, 0, 0, 0, 0, 25],
        ] as [[UInt8]])
    func `an array with fewer bytes than it claims is refused`(bytes: [UInt8]) {
        #expect(json(bytes, .text.array) == nil)
    }

    @Test func `an array within an array is refused`() {
        let empty: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 25]
        #expect(json(empty, .text.array) == "[]")
        let nested: [UInt8] =
            [0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 3, 0xF1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 12] + empty
        #expect(json(nested, .text.array) == nil)
    }

    @Test(
        arguments: [
            // A weight without digits, a digit above 9999, a missing digit.
            [0, 0, 8, 0, 0, 0, 0, 25],
            [0, 1, 0, 0, 0, 0, 0, 0, 0x27, 0x10],
            [0, 2, 0, 0, 0, 0, 0, 0, 0, 1],
        ] as [[UInt8]])
    func `a numeric that PostgreSQL would not have written is refused`(bytes: [UInt8]) {
        #expect(json(bytes, PostgresType(oid: 1700)) == nil)
        #expect(json([0, 1, 0, 1, 0, 0, 0, 0, 0, 1], PostgresType(oid: 1700)) == "10000")
    }

    /// The value as JSON; `nil` if it has none.
    private func json(_ bytes: [UInt8], _ type: PostgresType) -> String? {
        var writer = JSONWriter()
        let hasForm = bytes.withUnsafeBytes { JSONForm.write($0, of: type, into: &writer) }
        return hasForm ? String(decoding: writer.bytes, as: UTF8.self) : nil
    }
}
