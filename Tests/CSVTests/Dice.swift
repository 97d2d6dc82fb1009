/// A small generator with a seed, so that a failing case can be repeated.
struct Dice: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    mutating func value() -> String {
        let alphabet: [Unicode.Scalar] = [
            "a", "b", "1", ",", ";", "\"", "\\", "\n", "\r", " ", "\t", "é", "中", "😀", "\u{FEFF}",
            "=", "-", "'",
        ]
        var text = ""
        for _ in 0..<Int.random(in: 0...8, using: &self) {
            text.unicodeScalars.append(alphabet.randomElement(using: &self)!)
        }
        return text
    }

    /// Cuts bytes into pieces of random length.
    mutating func pieces(of bytes: [UInt8]) -> [[UInt8]] {
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
