import Values

extension SplitMix64 {
    /// True in that many of a hundred cases.
    package mutating func happens(percent: Int) -> Bool { number(1...100) <= percent }

    /// Some of the elements, at least one if there is one.
    package mutating func some<Element>(of elements: [Element]) -> [Element] {
        let chosen = elements.filter { _ in happens(percent: 50) }
        return chosen.isEmpty && !elements.isEmpty ? [choice(of: elements)] : chosen
    }

    package mutating func byte() -> UInt8 { UInt8(truncatingIfNeeded: next()) }

    package mutating func bytes(_ count: Int) -> [UInt8] { (0..<count).map { _ in byte() } }

    /// A text of some of these characters, repeated or not.
    package mutating func text(of alphabet: [Unicode.Scalar], upTo length: Int) -> String {
        var text = ""
        for _ in 0..<Int.random(in: 0...length, using: &self) {
            text.unicodeScalars.append(alphabet.randomElement(using: &self)!)
        }
        return text
    }

    /// Changes some of the bytes, at least one; there must be one.
    package mutating func damage(_ bytes: inout [UInt8], upTo count: Int) {
        for _ in 0..<Int.random(in: 1...count, using: &self) {
            bytes[Int.random(in: bytes.indices, using: &self)] = byte()
        }
    }

    /// Cuts bytes into pieces of random length, including empty ones.
    package mutating func pieces(of bytes: [UInt8]) -> [[UInt8]] {
        var pieces: [[UInt8]] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            let piece = rest.prefix(Int.random(in: 0...7, using: &self))
            pieces.append(Array(piece))
            rest = rest.dropFirst(piece.count)
        }
        return pieces
    }
}
