/// Converts between the two forms of a P-256 ECDSA signature: r and s of 32 bytes each for JWTs (RFC 7518
/// section 3.4), and DER `SEQUENCE { INTEGER r, INTEGER s }` for OpenSSL.
enum DERSignature {
    /// `nil` unless there are 64 bytes.
    static func encode(_ signature: [UInt8]) -> [UInt8]? {
        guard signature.count == 64 else { return nil }
        let integers = integer(signature[0..<32]) + integer(signature[32..<64])
        return [0x30, UInt8(integers.count)] + integers
    }

    /// `nil` unless it is one such sequence of integers of at most 32 bytes.
    static func decode(_ encoded: ArraySlice<UInt8>) -> [UInt8]? {
        var rest = encoded
        guard rest.popFirst() == 0x30, let length = rest.popFirst(), rest.count == Int(length),
            let first = takeInteger(&rest), let second = takeInteger(&rest), rest.isEmpty
        else { return nil }
        return first + second
    }

    private static func integer(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        var digits = Array(bytes.drop { $0 == 0 })
        // A leading 1 bit would mean a negative number, and zero still needs one byte.
        if digits.first.map({ $0 >= 0x80 }) ?? true { digits.insert(0, at: 0) }
        return [0x02, UInt8(digits.count)] + digits
    }

    private static func takeInteger(_ rest: inout ArraySlice<UInt8>) -> [UInt8]? {
        guard rest.popFirst() == 0x02, let length = rest.popFirst(), rest.count >= Int(length)
        else { return nil }
        let digits = rest.prefix(Int(length)).drop { $0 == 0 }
        rest = rest.dropFirst(Int(length))
        guard digits.count <= 32 else { return nil }
        return [UInt8](repeating: 0, count: 32 - digits.count) + digits
    }
}
