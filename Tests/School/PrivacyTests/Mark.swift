/// What every part of an attempt leaves in anything that shows it: the title of its item, which nothing else has.
struct Mark: Sendable {
    /// Found instead of a mark of this school.
    static let foreign = -1

    private static let sign = Array("Mark-".utf8)
    private let school: Int

    init(school seed: UInt64) {
        school = Int(seed % 100_000)
    }

    /// `Mark-00017-00003` is the third edition in school 17.
    func text(_ edition: Int) -> String { "Mark-\(Self.digits(school))-\(Self.digits(edition))" }

    private static func digits(_ number: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, 5 - digits.count)) + digits
    }

    /// The edition that an item's title names.
    func edition(_ title: String) -> Int? {
        let bytes = Array(title.utf8)
        return bytes.count == 16 ? all(in: bytes).first : nil
    }

    /// The marks in any text.
    func all(in bytes: [UInt8]) -> Set<Int> {
        var found: Set<Int> = []
        bytes.withUnsafeBufferPointer { bytes in
            var offset = 0
            while offset + 16 <= bytes.count {
                if bytes[offset] == Self.sign[0], bytes[offset + 1] == Self.sign[1],
                    bytes[offset..<offset + 5].elementsEqual(Self.sign)
                {
                    found.insert(edition(bytes[(offset + 5)..<(offset + 16)]))
                }
                offset += 1
            }
        }
        return found
    }

    private func edition(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) -> Int {
        let numbers = String(decoding: bytes, as: UTF8.self).split(separator: "-").map { Int($0) }
        guard numbers.count == 2, numbers[0] == school, let edition = numbers[1] else {
            return Self.foreign
        }
        return edition
    }
}
