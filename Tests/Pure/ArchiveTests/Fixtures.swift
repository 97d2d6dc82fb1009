import Foundation
import RandomKit
import Values

/// A folder that lives as long as the test that created it.
final class Folder {
    let path: String

    init() throws {
        path = NSTemporaryDirectory() + "archive-" + Foundation.UUID().uuidString
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// Writes a file and returns its path.
    func file(_ name: String, _ content: [UInt8]) throws -> String {
        try Data(content).write(to: URL(fileURLWithPath: path + "/" + name))
        return path + "/" + name
    }
}

func content(ofFile path: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
}

extension SplitMix64 {
    /// Bytes that compress well.
    mutating func compressible(_ count: Int) -> [UInt8] { bytes(count).map { $0 & 0x3F } }
}

/// A ZIP file assembled by hand, in which any header can lie. Contents are stored, not compressed.
struct HandmadeZip {
    struct File {
        var name: [UInt8]
        var content: [UInt8]
        var flags = 0
        var method = 0
        var checksum: Int?
        var size: Int?
        /// Points at the local header of the first file instead of its own.
        var sharesFirst = false

        init(_ name: String, _ content: String = "x") {
            self.name = Array(name.utf8)
            self.content = Array(content.utf8)
        }
    }

    var files: [File]
    var announcedCount: Int?

    var bytes: [UInt8] {
        var bytes: [UInt8] = []
        var directory: [UInt8] = []
        for file in files {
            let common =
                number(20, 2) + number(file.flags, 2) + number(file.method, 2) + number(0, 2)
                + number(33, 2) + number(file.checksum ?? checksum(file.content), 4)
                + number(file.content.count, 4) + number(file.size ?? file.content.count, 4)
                + number(file.name.count, 2) + number(0, 2)
            directory +=
                number(0x0201_4B50, 4) + number(20, 2) + common + number(0, 2) + number(0, 2)
                + number(0, 2) + number(0, 4) + number(file.sharesFirst ? 0 : bytes.count, 4)
                + file.name
            if !file.sharesFirst {
                bytes += number(0x0403_4B50, 4) + common + file.name + file.content
            }
        }
        let count = announcedCount ?? files.count
        let start = bytes.count
        return bytes + directory + number(0x0605_4B50, 4) + number(0, 4) + number(count, 2)
            + number(count, 2) + number(directory.count, 4) + number(start, 4) + number(0, 2)
    }
}

func number(_ value: Int, _ length: Int) -> [UInt8] {
    (0..<length).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
}

/// CRC-32, bit by bit.
func checksum(_ bytes: [UInt8]) -> Int {
    var register: UInt32 = .max
    for byte in bytes {
        register ^= UInt32(byte)
        for _ in 0..<8 { register = register >> 1 ^ (register & 1 == 1 ? 0xEDB8_8320 : 0) }
    }
    return Int(~register)
}
