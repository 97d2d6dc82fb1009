import CQREncode

/// A QR code (ISO/IEC 18004) of a short text, such as an address to photograph from paper.
package struct QRCode: Sendable {
    /// How many modules it is wide and high, without the quiet zone of four that it needs around it.
    package let size: Int
    /// Whether each module is dark, row by row.
    private let modules: [Bool]

    /// Makes the smallest code of the text in UTF-8 that can still be read when 15 % of it is damaged.
    ///
    /// `nil` for an empty text, or one of more than 2,331 bytes.
    package init?(_ text: String) {
        guard !text.utf8.contains(0),
            let code = QRcode_encodeString8bit(text, 0, QR_ECLEVEL_M)
        else { return nil }
        defer { QRcode_free(code) }
        let size = Int(code.pointee.width)
        self.size = size
        // The lowest bit of each byte is the color.
        modules = (0..<size * size).map { code.pointee.data[$0] & 1 == 1 }
    }

    package func isDark(row: Int, column: Int) -> Bool { modules[row * size + column] }

    /// The dark modules as the path of an SVG, in which each is one unit wide: a bar for each run of a row.
    package var path: String {
        var path = ""
        for row in 0..<size {
            var column = 0
            while column < size {
                let start = column
                while column < size, isDark(row: row, column: column) { column += 1 }
                if column > start {
                    path += "M\(start) \(row)h\(column - start)v1h-\(column - start)z"
                }
                column += 1
            }
        }
        return path
    }
}
