@testable import HTTPWire

/// A second reading of where the body of a request ends, made from the words of RFC 9112 alone and as plainly as
/// possible, to compare the first with.
enum FramingByTheLetter {
    /// The framing of a whole head, or `nil` where the strict reading of sections 2.2, 3.2, 5.1 and 6 refuses it.
    static func read(_ head: [UInt8]) -> BodyFraming? {
        guard var lines = lines(of: head) else { return nil }
        if lines.first == [] { lines.removeFirst() }
        guard lines.count >= 2, lines.suffix(1) == [[]] else { return nil }
        let isOld = lines[0].suffix(8) == Array("HTTP/1.0".utf8)[...]
        var values: [String: [String]] = [:]
        for line in lines.dropFirst().dropLast() {
            guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > 0,
                !line[..<colon].contains(where: isNoName)
            else { return nil }
            let name = text(line[..<colon]).lowercased()
            let afterBlanks = line[(colon + 1)...].drop { $0 == 0x20 || $0 == 0x09 }
            let value = afterBlanks.reversed().drop { $0 == 0x20 || $0 == 0x09 }.reversed()
            values[name, default: []].append(text(value))
        }
        guard values["host", default: []].count == 1 || values["host"] == nil && isOld
        else { return nil }
        return framing(
            lengths: values["content-length", default: []],
            codings: values["transfer-encoding", default: []], isOld: isOld)
    }

    private static func framing(
        lengths: [String], codings: [String], isOld: Bool
    ) -> BodyFraming? {
        switch (lengths.count, codings.count) {
        case (0, 0): return BodyFraming.none
        case (1, 0):
            let length = lengths[0]
            guard !length.isEmpty, length.allSatisfy({ "0123456789".contains($0) }) else {
                return nil
            }
            return Int(length).map(BodyFraming.length)
        case (0, 1): return !isOld && codings[0].lowercased() == "chunked" ? .chunked : nil
        default: return nil
        }
    }

    /// The lines up to the empty one that ends the head; `nil` where a control character occurs anywhere but in a line
    /// end.
    private static func lines(of head: [UInt8]) -> [[UInt8]]? {
        var lines: [[UInt8]] = []
        var line: [UInt8] = []
        var index = 0
        while index < head.count {
            if head[index] == 0x0D {
                guard index + 1 < head.count, head[index + 1] == 0x0A else { return nil }
                lines.append(line)
                line = []
                index += 2
            } else {
                guard head[index] >= 0x20 && head[index] != 0x7F || head[index] == 0x09 else {
                    return nil
                }
                line.append(head[index])
                index += 1
            }
        }
        return line.isEmpty ? lines : nil
    }

    private static func isNoName(_ byte: UInt8) -> Bool {
        byte <= 0x20 || byte >= 0x7F || "\"(),/:;<=>?@[\\]{}".utf8.contains(byte)
    }

    /// The bytes as Latin-1, which has a character for each.
    private static func text(_ bytes: some Sequence<UInt8>) -> String {
        var text = ""
        text.unicodeScalars.append(contentsOf: bytes.map { Unicode.Scalar($0) })
        return text
    }
}
