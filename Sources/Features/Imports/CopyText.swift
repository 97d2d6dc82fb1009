/// Rows in the text format of PostgreSQL's COPY, collected up to a chunk.
struct CopyText {
    /// The chunk size that is worth a call.
    static let chunkBytes = 64 * 1024

    private(set) var bytes: [UInt8] = []
    private var isFirstOfRow = true

    init() {
        bytes.reserveCapacity(CopyText.chunkBytes + 4096)
    }

    var isFull: Bool { bytes.count >= CopyText.chunkBytes }

    mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
    }

    mutating func append(_ number: Int) {
        separate()
        bytes.append(contentsOf: String(number).utf8)
    }

    /// Appends a text; an empty one as null.
    mutating func append(_ text: ArraySlice<UInt8>) {
        separate()
        guard !text.isEmpty else {
            bytes.append(UInt8(ascii: "\\"))
            bytes.append(UInt8(ascii: "N"))
            return
        }
        for byte in text { appendEscaped(byte) }
    }

    /// Appends a text array; empty texts are kept, so that a position still identifies the column.
    mutating func append(_ texts: [ArraySlice<UInt8>]) {
        separate()
        bytes.append(UInt8(ascii: "{"))
        for (index, text) in texts.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            bytes.append(UInt8(ascii: "\""))
            for byte in text {
                if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") {
                    // The array's own escape, which is itself escaped for COPY.
                    bytes.append(UInt8(ascii: "\\"))
                    bytes.append(UInt8(ascii: "\\"))
                }
                appendEscaped(byte)
            }
            bytes.append(UInt8(ascii: "\""))
        }
        bytes.append(UInt8(ascii: "}"))
    }

    mutating func endRow() {
        bytes.append(UInt8(ascii: "\n"))
        isFirstOfRow = true
    }

    private mutating func separate() {
        if !isFirstOfRow { bytes.append(UInt8(ascii: "\t")) }
        isFirstOfRow = false
    }

    /// Line breaks and tabs become spaces, and a backslash is doubled.
    private mutating func appendEscaped(_ byte: UInt8) {
        switch byte {
        case UInt8(ascii: "\n"), UInt8(ascii: "\r"), UInt8(ascii: "\t"):
            bytes.append(UInt8(ascii: " "))
        case UInt8(ascii: "\\"):
            bytes.append(byte)
            bytes.append(byte)
        default: bytes.append(byte)
        }
    }
}
