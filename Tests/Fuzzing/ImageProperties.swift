@testable import Images

/// Headers of pictures: what they say is in the bytes that were read, and does not change when more arrive.
enum ImageProperties {
    static func check(_ input: UnsafeRawBufferPointer) {
        let bytes = Array(input)
        let header = ImageHeader(bytes)
        if let header { checkSize(header) }
        for more: [UInt8] in [[0], [0xFF, 0xC0], bytes] where header != nil {
            require(
                ImageHeader(bytes + more) == header, "a header is not changed by what follows it")
        }
        for count in [bytes.count - 1, bytes.count / 2] where count >= 0 {
            let earlier = ImageHeader(Array(bytes.prefix(count)))
            require(
                earlier == nil || earlier == header, "half a picture says the same, or nothing")
        }
        checkHidden(bytes)
    }

    /// Sides are as long as their fields can express: four bytes each, or two bytes each.
    private static func checkSize(_ header: ImageHeader) {
        let sides = 0..<(header.format == .png ? 1 << 32 : 1 << 16)
        require(
            sides.contains(header.width) && sides.contains(header.height),
            "a side is what its field can hold")
    }

    /// A frame header inside another segment is not a frame header, whatever that segment holds.
    private static func checkHidden(_ bytes: [UInt8]) {
        let comment = Array(bytes.prefix(65_533))
        let length = comment.count + 2
        let frame: [UInt8] = [0xFF, 0xC0, 0, 11, 8, 0, 7, 0, 9, 1]
        let picture =
            [0xFF, 0xD8, 0xFF, 0xFE, UInt8(length >> 8), UInt8(length & 0xFF)] + comment + frame
        require(
            ImageHeader(picture) == ImageHeader(format: .jpeg, width: 9, height: 7),
            "the contents of a comment are skipped")
    }
}
