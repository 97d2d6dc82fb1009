import CTurboJPEG

/// JPEG through libjpeg-turbo's own interface.
enum JPEG {
    /// Good enough for a picture of this size, and a third of the bytes of 95.
    private static let quality: Int32 = 85

    static func decoded(_ bytes: [UInt8]) throws -> Pixels {
        guard let decoder = tjInitDecompress() else { throw ImageError.interrupted }
        defer { tjDestroy(decoder) }
        var (width, height, sampling, colours) = (Int32(0), Int32(0), Int32(0), Int32(0))
        guard
            tjDecompressHeader3(
                decoder, bytes, UInt(bytes.count), &width, &height, &sampling, &colours) == 0
        else { throw ImageError.broken }
        // CMYK inks have no unambiguous meaning in screen colours.
        guard ![TJCS_CMYK.rawValue, TJCS_YCCK.rawValue].contains(UInt32(bitPattern: colours)) else {
            throw ImageError.unknownFormat
        }
        try ImageReader.check(width: Int(width), height: Int(height))
        var pixels = Pixels(
            width: Int(width), height: Int(height),
            bytes: [UInt8](repeating: 0, count: Int(width) * Int(height) * 4))
        // A picture with endless progressive scans is stopped after 500 of them.
        let flags = TJFLAG_STOPONWARNING | TJFLAG_LIMITSCANS
        guard
            tjDecompress2(
                decoder, bytes, UInt(bytes.count), &pixels.bytes, width, 0, height,
                Int32(TJPF_RGBA.rawValue), flags) == 0
        else { throw ImageError.broken }
        return pixels
    }

    static func encoded(_ pixels: Pixels) throws -> [UInt8] {
        guard let encoder = tjInitCompress() else { throw ImageError.interrupted }
        defer { tjDestroy(encoder) }
        var buffer: UnsafeMutablePointer<UInt8>?
        var size: UInt = 0
        defer { tjFree(buffer) }
        guard
            tjCompress2(
                encoder, pixels.bytes, Int32(pixels.width), 0, Int32(pixels.height),
                Int32(TJPF_RGBX.rawValue), &buffer, &size, Int32(TJSAMP_420.rawValue), quality, 0)
                == 0, let buffer
        else { throw ImageError.broken }
        return Array(UnsafeBufferPointer(start: buffer, count: Int(size)))
    }
}
