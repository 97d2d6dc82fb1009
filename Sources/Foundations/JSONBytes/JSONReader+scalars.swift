import Values

extension JSONReader {
    /// Reads the string whose opening quote is at the position.
    mutating func text() throws(JSONError) -> String {
        position += 1
        let start = position
        var seenBits = skipPlain()
        while position < bytes.count {
            let byte = bytes[position]
            switch byte {
            case UInt8(ascii: "\"") where seenBits < 0x80:
                let text = ascii(start..<position)
                position += 1
                return text
            case UInt8(ascii: "\""):
                let text = try decoded(UnsafeRawBufferPointer(rebasing: bytes[start..<position])) {
                    start + $0
                }
                position += 1
                return text
            case UInt8(ascii: "\\"): return try escapedText(from: start)
            case 0x00...0x1F: throw error(.controlCharacter)
            default:
                seenBits |= byte
                position += 1
            }
        }
        throw error(.ended)
    }

    /// Skips eight-byte words that need no closer look, and returns all of their bits combined by "or".
    private mutating func skipPlain() -> UInt8 {
        var seen: UInt64 = 0
        while position + 8 <= bytes.count {
            let word = bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self)
            if JSONText.hasSpecial(word) { break }
            seen |= word
            position += 8
        }
        return seen & 0x8080_8080_8080_8080 == 0 ? 0 : 0x80
    }

    /// Reads a string from its first byte, given that its first escape is at the position.
    private mutating func escapedText(from start: Int) throws(JSONError) -> String {
        var decodedBytes = Array(bytes[start..<position])
        while position < bytes.count {
            let byte = bytes[position]
            switch byte {
            case UInt8(ascii: "\""):
                // Escapes only add complete characters, so any invalid bytes come from the document.
                let text = try decodedBytes.withUnsafeBytes { part in
                    Result { () throws(JSONError) in
                        try decoded(part) { _ in firstInvalidByte(start..<position) }
                    }
                }.get()
                position += 1
                return text
            case UInt8(ascii: "\\"):
                position += 1
                try escape(into: &decodedBytes)
            case 0x00...0x1F: throw error(.controlCharacter)
            default:
                decodedBytes.append(byte)
                position += 1
            }
        }
        throw error(.ended)
    }

    /// Reads one escape, from after its backslash.
    private mutating func escape(into text: inout [UInt8]) throws(JSONError) {
        switch current {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(bytes[position])
        case UInt8(ascii: "b"): text.append(0x08)
        case UInt8(ascii: "f"): text.append(0x0C)
        case UInt8(ascii: "n"): text.append(0x0A)
        case UInt8(ascii: "r"): text.append(0x0D)
        case UInt8(ascii: "t"): text.append(0x09)
        case UInt8(ascii: "u"): return try unicodeEscape(into: &text)
        case nil: throw error(.ended)
        default: throw error(.unknownEscape)
        }
        position += 1
    }

    /// Reads `uXXXX`, and the second half if this is the first of a surrogate pair.
    private mutating func unicodeEscape(into text: inout [UInt8]) throws(JSONError) {
        let start = position - 1
        var code = try fourDigits()
        if (0xDC00...0xDFFF).contains(code) { throw error(.loneSurrogate, at: start) }
        if (0xD800...0xDBFF).contains(code) {
            guard let backslash = current else { throw error(.ended) }
            guard backslash == UInt8(ascii: "\\") else { throw error(.loneSurrogate, at: start) }
            position += 1
            guard let letter = current else { throw error(.ended) }
            guard letter == UInt8(ascii: "u") else { throw error(.loneSurrogate, at: start) }
            let low = try fourDigits()
            guard (0xDC00...0xDFFF).contains(low) else { throw error(.loneSurrogate, at: start) }
            code = 0x10000 + (code - 0xD800) << 10 + (low - 0xDC00)
        }
        guard code != 0 else { throw error(.nullCharacter, at: start) }
        guard let scalar = Unicode.Scalar(code) else { throw error(.loneSurrogate, at: start) }
        text.append(contentsOf: UTF8.encode(scalar).unsafelyUnwrapped)
    }

    /// Reads the `u` at the position and the four hexadecimal digits behind it.
    private mutating func fourDigits() throws(JSONError) -> UInt32 {
        position += 1
        var code: UInt32 = 0
        for _ in 0..<4 {
            guard let byte = current else { throw error(.ended) }
            guard let digit = hexadecimalValue(byte) else { throw error(.unknownEscape) }
            code = code << 4 | UInt32(digit)
            position += 1
        }
        return code
    }

    /// Text that needs no validation.
    private func ascii(_ range: Range<Int>) -> String {
        let part = UnsafeRawBufferPointer(rebasing: bytes[range])
        return String(decoding: part.assumingMemoryBound(to: UInt8.self), as: UTF8.self)
    }

    private func decoded(
        _ part: UnsafeRawBufferPointer, invalidAt: (Int) -> Int
    ) throws(JSONError) -> String {
        if let text = String(validating: part, as: UTF8.self) { return text }
        throw error(.invalidUTF8, at: invalidAt(validUTF8Length(part[...])))
    }

    private func firstInvalidByte(_ range: Range<Int>) -> Int {
        range.lowerBound + validUTF8Length(bytes[range])
    }

    /// How many leading bytes are valid UTF-8.
    private func validUTF8Length(_ part: Slice<UnsafeRawBufferPointer>) -> Int {
        var parser = Unicode.UTF8.ForwardParser()
        var iterator = part.makeIterator()
        var length = 0
        while case .valid(let character) = parser.parseScalar(from: &iterator) {
            length += character.count
        }
        return length
    }

    /// Reads the number at the position (RFC 8259 section 6).
    ///
    /// Also refuses numbers that no double can hold, and exponents beyond ±400, at which PostgreSQL's numeric
    /// would fail later.
    mutating func number() throws(JSONError) -> JSONNumber {
        let start = position
        if current == UInt8(ascii: "-") { position += 1 }
        if current == UInt8(ascii: "0") {
            position += 1
        } else {
            _ = try digits()
        }
        if current == UInt8(ascii: ".") {
            position += 1
            _ = try digits()
        }
        let mantissaEnd = position
        var exponent = 0
        if let byte = current, byte | 0x20 == UInt8(ascii: "e") {
            position += 1
            if current == UInt8(ascii: "+") || current == UInt8(ascii: "-") { position += 1 }
            exponent = try digits()
        }
        if let byte = current, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) {
            throw error(.malformedNumber)
        }
        guard position - start <= limits.numberLength, exponent <= 400 else {
            throw error(.numberOutOfRange, at: start)
        }
        let number = JSONNumber(checked: ascii(start..<position))
        guard exponent > 0 || mantissaEnd - start > 300 else { return number }
        guard let double = Double(number.literal), double.isFinite else {
            throw error(.numberOutOfRange, at: start)
        }
        return number
    }

    /// Reads at least one digit and returns their value; above 400 the result is only some number above 400.
    private mutating func digits() throws(JSONError) -> Int {
        let start = position
        var value = 0
        while let byte = current, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) {
            if value <= 400 { value = value * 10 + Int(byte - UInt8(ascii: "0")) }
            position += 1
        }
        guard position > start else {
            throw error(position < bytes.count ? .malformedNumber : .ended)
        }
        return value
    }
}
