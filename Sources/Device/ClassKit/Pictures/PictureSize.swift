import Foundation

/// The size that the header of a PNG or JPEG file states.
struct PictureSize: Equatable {
    let width: Int
    let height: Int

    /// Returns `nil` for other files, and for damaged headers.
    init?(_ file: Data) {
        let bytes = [UInt8](file.prefix(1 << 20))
        guard let size = PictureSize.ofPNG(bytes) ?? PictureSize.ofJPEG(bytes),
            size.width > 0, size.height > 0
        else { return nil }
        (width, height) = size
    }

    /// The signature is followed by the chunk IHDR, which begins with width and height.
    private static func ofPNG(_ bytes: [UInt8]) -> (width: Int, height: Int)? {
        let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
        guard bytes.starts(with: signature), bytes.count >= 24,
            bytes[12..<16].elementsEqual("IHDR".utf8)
        else { return nil }
        return (number(bytes[16..<20]), number(bytes[20..<24]))
    }

    /// Walks over the segments to the frame header, one of SOF0 to SOF15 without DHT, JPG and DAC.
    private static func ofJPEG(_ bytes: [UInt8]) -> (width: Int, height: Int)? {
        guard bytes.starts(with: [0xFF, 0xD8]) else { return nil }
        var position = 2
        while position + 9 <= bytes.count, bytes[position] == 0xFF {
            let marker = bytes[position + 1]
            if marker == 0xFF {
                position += 1
                continue
            }
            if (0xC0...0xCF).contains(marker), ![0xC4, 0xC8, 0xCC].contains(marker) {
                return (
                    number(bytes[(position + 7)..<(position + 9)]),
                    number(bytes[(position + 5)..<(position + 7)])
                )
            }
            position += 2 + number(bytes[(position + 2)..<(position + 4)])
        }
        return nil
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> Int {
        bytes.reduce(0) { $0 << 8 | Int($1) }
    }
}
