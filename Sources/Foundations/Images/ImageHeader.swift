/// What the first bytes of a picture say about it, read without decoding anything.
package struct ImageHeader: Sendable, Equatable {
    package enum Format: String, Sendable {
        case png = "image/png"
        case jpeg = "image/jpeg"
    }

    package let format: Format
    /// Pixels.
    package let width: Int
    package let height: Int
}

extension ImageHeader {
    /// `nil` if it is neither PNG nor JPEG, or ends before it gives its size.
    package init?(_ bytes: [UInt8]) {
        if bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) {
            self.init(png: bytes)
        } else if bytes.starts(with: [0xFF, 0xD8, 0xFF]) {
            self.init(jpeg: bytes)
        } else {
            return nil
        }
    }

    /// The first chunk is IHDR: length, name, width, height (PNG specification, section 11.2.1).
    private init?(png bytes: [UInt8]) {
        guard bytes.count >= 24, Array(bytes[12..<16]) == Array("IHDR".utf8) else { return nil }
        func number(at start: Int) -> Int {
            bytes[start..<start + 4].reduce(0) { $0 << 8 | Int($1) }
        }
        format = .png
        width = number(at: 16)
        height = number(at: 20)
    }

    /// Walks the segments up to the first frame header: SOF0 to SOF15, except the three other markers in that
    /// range (ITU T.81, tables B.1 and B.2).
    private init?(jpeg bytes: [UInt8]) {
        func number(at start: Int) -> Int { Int(bytes[start]) << 8 | Int(bytes[start + 1]) }
        var offset = 2
        while offset + 9 < bytes.count, bytes[offset] == 0xFF {
            let marker = bytes[offset + 1]
            switch marker {
            case 0xFF: offset += 1
            case 0xC4, 0xC8, 0xCC: offset += 2 + number(at: offset + 2)
            case 0xC0...0xCF:
                format = .jpeg
                height = number(at: offset + 5)
                width = number(at: offset + 7)
                return
            case 0xD8, 0xD9, 0xDA: return nil
            default: offset += 2 + number(at: offset + 2)
            }
        }
        return nil
    }
}
