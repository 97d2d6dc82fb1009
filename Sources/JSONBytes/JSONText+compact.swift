extension JSONText {
    /// Copies a JSON document without the blanks between its parts, as PostgreSQL writes them behind colons and
    /// commas; takes no more bytes than the document has. What is no JSON comes out as something else that is none.
    package static func copyCompact(_ document: UnsafeRawBufferPointer, to place: Place) -> Int {
        guard let source = document.baseAddress else { return 0 }
        let count = document.count
        var position = 0
        var end = 0
        while position < count {
            let byte = source.load(fromByteOffset: position, as: UInt8.self)
            position &+= 1
            if byte == UInt8(ascii: "\"") {
                place[end] = byte
                let length = copyRestOfText(
                    source + position, count - position, to: place + end + 1)
                position &+= length
                end &+= length &+ 1
            } else if byte > UInt8(ascii: " ") {
                place[end] = byte
                end &+= 1
            }
        }
        return end
    }

    /// Copies a text in a document up to its closing quote, in words as far as nothing in them is special.
    @inline(__always)
    private static func copyRestOfText(
        _ source: UnsafeRawPointer, _ count: Int, to place: Place
    ) -> Int {
        let target = UnsafeMutableRawPointer(place)
        var position = 0
        while position < count {
            if position &+ 8 <= count {
                let word = source.loadUnaligned(fromByteOffset: position, as: UInt64.self)
                if !hasSpecial(word) {
                    target.storeBytes(of: word, toByteOffset: position, as: UInt64.self)
                    position &+= 8
                    continue
                }
            }
            let byte = source.load(fromByteOffset: position, as: UInt8.self)
            place[position] = byte
            position &+= 1
            if byte == UInt8(ascii: "\"") { break }
            if byte == UInt8(ascii: "\\"), position < count {
                place[position] = source.load(fromByteOffset: position, as: UInt8.self)
                position &+= 1
            }
        }
        return position
    }
}

extension JSONWriter {
    /// Appends a JSON document that lies elsewhere, without the blanks between its parts.
    package mutating func document(_ value: UnsafeRawBufferPointer) {
        put(atMost: value.count) { JSONText.copyCompact(value, to: $0) }
    }

    /// Appends a JSON document, without the blanks between its parts.
    package mutating func document(_ value: [UInt8]) {
        value.withUnsafeBytes { document($0) }
    }
}
