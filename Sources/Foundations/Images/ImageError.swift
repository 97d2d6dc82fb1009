/// Why a picture is refused; the sentence is for the person who sent it.
package enum ImageError: Error, Sendable, CustomStringConvertible {
    /// Neither PNG nor JPEG, or an unsupported variant of them.
    case unknownFormat
    /// A side is longer than `ImageLimits.sideMax`.
    case tooLarge
    /// The bytes do not decode to a picture of the announced size.
    case broken
    /// Reading it took more time or memory than a picture may.
    case tooCostly
    /// Reading was interrupted, not because of the picture; it may be tried again.
    case interrupted

    package var description: String {
        switch self {
        case .unknownFormat: "The image should be a PNG, or a JPEG in colours or grey."
        case .tooLarge: "An image has at most \(ImageLimits.sideMax) pixels on a side."
        case .broken: "The image is broken: its bytes end early or are not what they announce."
        case .tooCostly: "The image takes too long or too much memory to read."
        case .interrupted: "Reading the image was interrupted."
        }
    }
}

/// Limits on the cost of a picture.
package enum ImageLimits {
    /// The longest body, in bytes.
    package static let bytesMax = 8 << 20
    /// The longest side that is decoded, in pixels.
    package static let sideMax = 4096
    /// Memory of the decoding process, beyond what it has when it starts: the pixels of the largest picture,
    /// the libraries' working memory, and the reduced picture.
    static let memoryBytesMax = 256 << 20
    static let cpuSecondsMax = 10
    /// From the start of the process to its answer.
    package static let millisecondsMax = 20_000
}
