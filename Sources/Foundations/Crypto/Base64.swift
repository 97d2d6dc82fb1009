/// Base64 (RFC 4648), strict: each value has exactly one accepted text.
package enum Base64 {
    /// With padding, the alphabet of section 4.
    package static func encode(_ bytes: [UInt8]) -> String {
        encode(bytes, standardAlphabet, padded: true)
    }

    /// Without padding, the alphabet of section 4; used by password records.
    package static func encodeUnpadded(_ bytes: [UInt8]) -> String {
        encode(bytes, standardAlphabet, padded: false)
    }

    /// Without padding, the alphabet of section 5, which is safe in URLs.
    package static func encodeURL(_ bytes: [UInt8]) -> String {
        encode(bytes, urlAlphabet, padded: false)
    }

    /// Reads what `encode` writes; `nil` for anything else.
    package static func decode(_ text: some BidirectionalCollection<UInt8>) -> [UInt8]? {
        guard text.count % 4 == 0 else { return nil }
        let padding = text.suffix(2).reversed().prefix { $0 == UInt8(ascii: "=") }.count
        return decode(text.dropLast(padding), url: false)
    }

    package static func decode(_ text: String) -> [UInt8]? { decode(text.utf8) }

    /// Reads what `encodeUnpadded` writes; `nil` for anything else.
    package static func decodeUnpadded(_ text: some Collection<UInt8>) -> [UInt8]? {
        decode(text, url: false)
    }

    /// Reads what `encodeURL` writes; `nil` for anything else, such as padding or stray bits at the end.
    package static func decodeURL(_ text: some Collection<UInt8>) -> [UInt8]? {
        decode(text, url: true)
    }

    package static func decodeURL(_ text: String) -> [UInt8]? { decodeURL(text.utf8) }

    private static let standardAlphabet = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    private static let urlAlphabet = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

    private static func encode(_ bytes: [UInt8], _ alphabet: [UInt8], padded: Bool) -> String {
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count + 2) / 3 * 4)
        var bits: UInt32 = 0
        var held: UInt32 = 0
        for byte in bytes {
            held = held << 8 | UInt32(byte)
            bits += 8
            while bits >= 6 {
                bits -= 6
                text.append(alphabet[Int(held >> bits & 63)])
            }
        }
        if bits > 0 { text.append(alphabet[Int(held << (6 - bits) & 63)]) }
        while padded, text.count % 4 != 0 { text.append(UInt8(ascii: "=")) }
        return String(decoding: text, as: UTF8.self)
    }

    private static func decode(_ text: some Collection<UInt8>, url: Bool) -> [UInt8]? {
        guard text.count % 4 != 1 else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count / 4 * 3 + 2)
        var bits: UInt32 = 0
        var held: UInt32 = 0
        for character in text {
            guard let value = value(character, url: url) else { return nil }
            held = held << 6 | value
            bits += 6
            if bits >= 8 {
                bits -= 8
                bytes.append(UInt8(truncatingIfNeeded: held >> bits))
            }
        }
        // Bits beyond the last byte must be zero, otherwise two texts would mean the same.
        let beyond: UInt32 = (1 << bits) - 1
        return held & beyond == 0 ? bytes : nil
    }

    private static func value(_ character: UInt8, url: Bool) -> UInt32? {
        switch character {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(character - UInt8(ascii: "A"))
        case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(character - UInt8(ascii: "a")) + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(character - UInt8(ascii: "0")) + 52
        case UInt8(ascii: "+") where !url, UInt8(ascii: "-") where url: 62
        case UInt8(ascii: "/") where !url, UInt8(ascii: "_") where url: 63
        default: nil
        }
    }
}
