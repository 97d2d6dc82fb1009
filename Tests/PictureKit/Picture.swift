@testable import Images

/// Pictures for tests.
package enum Picture {
    /// No two neighbouring pixels alike.
    package static func gradient(
        _ width: Int, _ height: Int, _ format: ImageHeader.Format
    ) throws -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(width * height * 4)
        for row in 0..<height {
            for column in 0..<width {
                bytes += [
                    UInt8(truncatingIfNeeded: column), UInt8(truncatingIfNeeded: row),
                    UInt8(truncatingIfNeeded: column * row), 255,
                ]
            }
        }
        let pixels = Pixels(width: width, height: height, bytes: bytes)
        return format == .png ? try PNG.encoded(pixels) : try JPEG.encoded(pixels)
    }

    /// All pixels alike: a small file that becomes many bytes.
    package static func plain(_ width: Int, _ height: Int) throws -> [UInt8] {
        try PNG.encoded(
            Pixels(
                width: width, height: height,
                bytes: [UInt8](repeating: 200, count: width * height * 4)))
    }

    /// Where the frame header of a JPEG begins.
    package static func frame(of jpeg: [UInt8]) -> Int? {
        jpeg.indices.dropLast().first { jpeg[$0] == 0xFF && jpeg[$0 + 1] == 0xC0 }
    }
}
