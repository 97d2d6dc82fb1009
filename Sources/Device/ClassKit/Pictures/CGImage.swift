import Foundation

/// A picture: a PNG or JPEG file, which is kept as it is.
///
/// Linux has no CoreGraphics. This class carries a thumbnail from your app to the server, which decodes and scales it;
/// the sizes here are read from the file's header.
public final class CGImage: NSObject, Sendable {
    /// The width in pixels.
    public let width: Int
    /// The height in pixels.
    public let height: Int
    /// The file.
    package let file: Data

    /// Reads a picture; `nil` if the file is neither PNG nor JPEG.
    package init?(file: Data, sideMax: Int = .max) {
        guard let size = PictureSize(file) else { return nil }
        let scale = min(1, Double(sideMax) / Double(max(size.width, size.height)))
        width = max(1, Int((Double(size.width) * scale).rounded()))
        height = max(1, Int((Double(size.height) * scale).rounded()))
        self.file = file
        super.init()
    }
}

/// A picture file that has been opened.
public final class CGImageSource: NSObject, Sendable {
    let file: Data

    init(file: Data) {
        self.file = file
        super.init()
    }
}

/// A URL, as CoreFoundation names it.
public typealias CFURL = NSURL
/// A dictionary, as CoreFoundation names it.
public typealias CFDictionary = NSDictionary
/// A text, as CoreFoundation names it.
public typealias CFString = NSString

/// The option to make a thumbnail from the full picture. Always so here.
public var kCGImageSourceCreateThumbnailFromImageAlways: CFString {
    "kCGImageSourceCreateThumbnailFromImageAlways" as NSString
}

/// The option that limits the sides of a thumbnail, in pixels.
public var kCGImageSourceThumbnailMaxPixelSize: CFString {
    "kCGImageSourceThumbnailMaxPixelSize" as NSString
}

/// Opens a picture file.
/// - Parameter options: not used.
/// - Returns: `nil` if the file cannot be read.
public func CGImageSourceCreateWithURL(_ url: CFURL, _ options: CFDictionary?) -> CGImageSource? {
    (try? Data(contentsOf: url as URL)).map { CGImageSource(file: $0) }
}

/// Opens a picture in memory.
/// - Parameter options: not used.
public func CGImageSourceCreateWithData(_ data: NSData, _ options: CFDictionary?) -> CGImageSource?
{
    CGImageSource(file: data as Data)
}

/// Returns a picture with the size of a thumbnail. Its pixels are scaled by the server.
/// - Parameter index: 0, the only picture of a file.
/// - Returns: `nil` if the file is neither PNG nor JPEG.
public func CGImageSourceCreateThumbnailAtIndex(
    _ source: CGImageSource, _ index: Int, _ options: CFDictionary?
) -> CGImage? {
    guard index == 0 else { return nil }
    let side = options?[kCGImageSourceThumbnailMaxPixelSize] as? Int
    return CGImage(file: source.file, sideMax: side ?? .max)
}

/// Returns the picture of a file.
/// - Parameter index: 0, the only picture of a file.
/// - Returns: `nil` if the file is neither PNG nor JPEG.
public func CGImageSourceCreateImageAtIndex(
    _ source: CGImageSource, _ index: Int, _ options: CFDictionary?
) -> CGImage? {
    index == 0 ? CGImage(file: source.file) : nil
}
