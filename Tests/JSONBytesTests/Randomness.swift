import JSONBytes

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

    mutating func text() -> String {
        let alphabet: [Unicode.Scalar] = [
            "a", "Z", "0", "\"", "\\", "/", "\n", "\t", "\u{1}", "\u{1F}", "\u{7F}", "é", "ß", "中",
            "\u{2028}", "😀", "\u{10FFFF}", "\u{FEFF}", "~", " ",
        ]
        var text = ""
        for _ in 0..<Int.random(in: 0...24, using: &self) {
            text.unicodeScalars.append(alphabet.randomElement(using: &self)!)
        }
        return text
    }

    mutating func value(depth: Int = 0) -> JSONValue {
        switch Int.random(in: 0..<(depth > 4 ? 5 : 7), using: &self) {
        case 0: return .null
        case 1: return .bool(Bool.random(using: &self))
        case 2: return .number(JSONNumber(Int64.random(in: .min ... .max, using: &self)))
        case 3:
            return JSONNumber(Double(bitPattern: next())).map(JSONValue.number) ?? .null
        case 4: return .text(text())
        case 5:
            return .array(
                (0..<Int.random(in: 0...5, using: &self)).map { _ in value(depth: depth + 1) })
        default:
            var object = JSONObject()
            for _ in 0..<Int.random(in: 0...5, using: &self) {
                object[text()] = value(depth: depth + 1)
            }
            return .object(object)
        }
    }
}
