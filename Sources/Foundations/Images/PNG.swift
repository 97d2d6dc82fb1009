import CPNG

/// PNG through libpng's simplified interface, which reads every variant and returns eight bits per channel.
enum PNG {
    static func decoded(_ bytes: [UInt8]) throws -> Pixels {
        var image = png_image()
        image.version = UInt32(PNG_IMAGE_VERSION)
        defer { png_image_free(&image) }
        guard png_image_begin_read_from_memory(&image, bytes, bytes.count) != 0 else {
            throw ImageError.broken
        }
        try ImageReader.check(width: Int(image.width), height: Int(image.height))
        image.format = png_format_rgba
        var pixels = Pixels(
            width: Int(image.width), height: Int(image.height),
            bytes: [UInt8](repeating: 0, count: Int(image.width) * Int(image.height) * 4))
        guard png_image_finish_read(&image, nil, &pixels.bytes, 0, nil) != 0 else {
            throw ImageError.broken
        }
        return pixels
    }

    static func encoded(_ pixels: Pixels) throws -> [UInt8] {
        var image = png_image()
        image.version = UInt32(PNG_IMAGE_VERSION)
        image.width = UInt32(pixels.width)
        image.height = UInt32(pixels.height)
        image.format = png_format_rgba
        defer { png_image_free(&image) }
        // Twice the size of the pixels is more than the format can need for them.
        var size = pixels.bytes.count * 2 + 65_536
        var bytes = [UInt8](repeating: 0, count: size)
        guard png_image_write_to_memory(&image, &bytes, &size, 0, pixels.bytes, 0, nil) != 0 else {
            throw ImageError.broken
        }
        return Array(bytes[..<size])
    }
}
