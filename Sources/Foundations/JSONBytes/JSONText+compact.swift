extension JSONText {
    /// Copies a JSON document without the blanks between its tokens, which PostgreSQL writes after colons and
    /// commas; takes no more bytes than the document has. The caller guarantees that it is JSON.
    ///
    /// Whole words are copied if nothing in them has to be left out, which is nearly always so: copying byte by
    /// byte took three times as long.
    package static func copyCompact(_ document: UnsafeRawBufferPointer, to cursor: Cursor) -> Int {
        guard let source = document.baseAddress else { return 0 }
        let count = document.count
        var compaction = Compaction(cursor: cursor)
        var position = 0
        while position &+ 8 <= count {
            let word = source.loadUnaligned(fromByteOffset: position, as: UInt64.self)
            if !compaction.copyWhole(word) {
                for byte in position..<position &+ 8 {
                    compaction.copy(source.load(fromByteOffset: byte, as: UInt8.self))
                }
            }
            position &+= 8
        }
        while position < count {
            compaction.copy(source.load(fromByteOffset: position, as: UInt8.self))
            position &+= 1
        }
        return compaction.cursor - cursor
    }

    /// The state of copying a document.
    private struct Compaction {
        var cursor: Cursor
        private var isInText = false
        /// Whether the previous byte is a backslash that escapes the next one.
        private var isEscaped = false

        init(cursor: Cursor) {
            self.cursor = cursor
        }

        /// Copies a byte, or leaves it out.
        @inline(__always)
        mutating func copy(_ byte: UInt8) {
            if !isInText, byte <= UInt8(ascii: " ") { return }
            cursor[0] = byte
            cursor += 1
            if isEscaped {
                isEscaped = false
            } else if byte == UInt8(ascii: "\"") {
                isInText.toggle()
            } else if isInText {
                isEscaped = byte == UInt8(ascii: "\\")
            }
        }

        /// Copies eight bytes; returns false and copies nothing if one of them has to be examined.
        @inline(__always)
        mutating func copyWhole(_ word: UInt64) -> Bool {
            let quotes = JSONText.marks(of: UInt8(ascii: "\""), in: word)
            let needsLook =
                isEscaped || JSONText.marks(of: UInt8(ascii: "\\"), in: word) != 0
                || JSONText.hasBlank(word) && !(isInText && quotes == 0)
            if needsLook { return false }
            UnsafeMutableRawPointer(cursor).storeBytes(of: word, as: UInt64.self)
            cursor += 8
            isInText = isInText != (quotes.nonzeroBitCount & 1 == 1)
            return true
        }
    }

    /// A word with the top bit set in each of the eight bytes that equals the given one.
    @inline(__always)
    private static func marks(of byte: UInt8, in word: UInt64) -> UInt64 {
        let low: UInt64 = 0x7F7F_7F7F_7F7F_7F7F
        let difference = word ^ (0x0101_0101_0101_0101 &* UInt64(byte))
        return ~((difference & low) &+ low | difference | low)
    }

    /// Whether one of eight bytes is a blank or a control character.
    @inline(__always)
    private static func hasBlank(_ word: UInt64) -> Bool {
        let ones: UInt64 = 0x0101_0101_0101_0101
        return (word &- ones &* 0x21) & ~word & (ones &* 0x80) != 0
    }
}

extension JSONWriter {
    /// Appends a JSON document from other memory, without the blanks between its tokens.
    package mutating func document(_ value: UnsafeRawBufferPointer) {
        put(atMost: value.count) { JSONText.copyCompact(value, to: $0) }
    }

    /// Appends a JSON document, without the blanks between its tokens.
    package mutating func document(_ value: [UInt8]) {
        value.withUnsafeBytes { document($0) }
    }
}
