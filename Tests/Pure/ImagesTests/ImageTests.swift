import PictureKit
import RandomKit
import Testing
import Values

@testable import Images

@Suite struct ReadImages {
    @Test(arguments: [ImageHeader.Format.png, .jpeg])
    func `a picture is scaled down to the side and keeps its format and proportions`(
        format: ImageHeader.Format
    ) throws {
        let picture = try Picture.gradient(660, 330, format)
        let small = try ImageReader.small(picture, side: 330)
        #expect(ImageHeader(small) == ImageHeader(format: format, width: 330, height: 165))
    }

    @Test(arguments: [ImageHeader.Format.png, .jpeg])
    func `a picture that is small enough keeps its size and loses its metadata`(
        format: ImageHeader.Format
    ) throws {
        let picture = try Picture.gradient(80, 330, format)
        let small = try ImageReader.small(picture + Array("<script>".utf8), side: 330)
        #expect(ImageHeader(small) == ImageHeader(format: format, width: 80, height: 330))
        #expect(!String(decoding: small, as: UTF8.self).contains("<script>"))
    }

    @Test func `a new pixel is the average of those it covers, transparent ones counting less`() {
        let pixels = Pixels(
            width: 2, height: 2,
            bytes: [200, 0, 0, 255, 100, 0, 0, 255, 0, 0, 250, 0, 0, 0, 250, 0])
        let one = pixels.reduced(toSide: 1)
        #expect(one == Pixels(width: 1, height: 1, bytes: [150, 0, 0, 128]))
        #expect(pixels.reduced(toSide: 2) == pixels)
    }

    @Test func `a long thin picture keeps a pixel on its short side`() {
        let line = Pixels(width: 4000, height: 1, bytes: [UInt8](repeating: 9, count: 16_000))
        let small = line.reduced(toSide: 330)
        #expect(small.width == 330 && small.height == 1)
        #expect(small.bytes.allSatisfy { $0 == 9 })
    }

    @Test func `anything but PNG and JPEG is refused as such`() {
        for bytes in [[], Array("GIF89a".utf8), Array("<svg/>".utf8), [0xFF, 0xD8, 0xFF]] {
            #expect(ImageHeader(bytes) == nil)
            #expect(throws: ImageError.unknownFormat) {
                try ImageReader.small(bytes, side: 330)
            }
        }
    }

    @Test func `a picture that claims to be huge is refused before it is decoded`() throws {
        var png = try Picture.gradient(100, 100, .png)
        png.replaceSubrange(16..<24, with: [0, 0, 0xEA, 0x60, 0, 0, 0xEA, 0x60])
        #expect(throws: ImageError.tooLarge) { try ImageReader.small(png, side: 330) }
        var jpeg = try Picture.gradient(100, 100, .jpeg)
        let frame = try #require(Picture.frame(of: jpeg))
        jpeg.replaceSubrange(frame + 5..<frame + 9, with: [0xFF, 0xFF, 0xFF, 0xFF])
        #expect(throws: ImageError.tooLarge) { try ImageReader.small(jpeg, side: 330) }
    }

    @Test(arguments: [ImageHeader.Format.png, .jpeg])
    func `a picture that is cut short, or lies about its size, is broken`(
        format: ImageHeader.Format
    ) throws {
        let picture = try Picture.gradient(200, 200, format)
        for count in [40, picture.count / 2, picture.count - 20] {
            #expect(throws: ImageError.self) {
                try ImageReader.small(Array(picture[..<count]), side: 330)
            }
        }
        var lying = picture
        let height = try format == .png ? 20 : #require(Picture.frame(of: picture)) + 5
        lying.replaceSubrange(
            height..<height + (format == .png ? 4 : 2),
            with: format == .png ? [0, 0, 8, 0] : [8, 0])
        #expect(throws: ImageError.broken) { try ImageReader.small(lying, side: 330) }
    }
}

@Suite struct ReadImagesAside {
    private let reader = ImageProcess(path: ImageProcess.homeroom, arguments: ["read-image"])

    @Test(arguments: [ImageHeader.Format.png, .jpeg])
    func `a process of its own gives the same picture`(format: ImageHeader.Format) throws {
        let picture = try Picture.gradient(500, 400, format)
        let aside = try reader.small(picture, side: 330)
        #expect(aside == (try ImageReader.small(picture, side: 330)))
    }

    @Test func `the largest picture fits into its limits`() throws {
        let side = ImageLimits.sideMax
        let patient = ImageProcess(
            path: ImageProcess.homeroom, arguments: ["read-image"], millisecondsMax: 600_000)
        let small = try patient.small(try Picture.plain(side, side), side: 330)
        #expect(ImageHeader(small) == ImageHeader(format: .png, width: 330, height: 330))
    }

    @Test func `the process reports what is wrong with a picture`() throws {
        let picture = try Picture.gradient(200, 200, .png)
        #expect(throws: ImageError.broken) {
            try reader.small(Array(picture[..<(picture.count / 2)]), side: 330)
        }
        #expect(throws: ImageError.unknownFormat) { try reader.small([1, 2, 3], side: 330) }
    }

    @Test(arguments: [ImageHeader.Format.png, .jpeg], seeds(0..<20))
    func `any change to a picture costs no more than the picture`(
        format: ImageHeader.Format, seed: UInt64
    ) throws {
        var dice = SplitMix64(seed: seed)
        var picture = try Picture.gradient(120, 90, format)
        dice.damage(&picture, upTo: 20)
        do {
            let small = try reader.small(picture, side: 330)
            #expect(ImageHeader(small) != nil)
        } catch let error as ImageError {
            #expect(error != .interrupted)
        }
    }

    @Test func `a reader that takes too long is ended`() throws {
        let sleeper = ImageProcess(path: "/bin/sleep", arguments: [], millisecondsMax: 200)
        let picture = try Picture.gradient(100, 100, .png)
        #expect(throws: ImageError.tooCostly) { try sleeper.small(picture, side: 330) }
    }

    @Test func `a reader that is unavailable says nothing about the picture`() throws {
        let picture = try Picture.gradient(100, 100, .png)
        for path in ["/nowhere/homeroom", "/bin/false"] {
            let reader = ImageProcess(path: path, arguments: [])
            #expect(throws: ImageError.interrupted) { try reader.small(picture, side: 330) }
        }
    }
}
