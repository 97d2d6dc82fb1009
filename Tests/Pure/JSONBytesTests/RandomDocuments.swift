import JSONBytes
import RandomKit
import Values

/// What is hard to write into JSON, or to read from it.
private let alphabet: [Unicode.Scalar] = [
    "a", "Z", "0", "\"", "\\", "/", "\n", "\t", "\u{1}", "\u{1F}", "\u{7F}", "é", "ß", "中",
    "\u{2028}", "😀",
    "\u{10FFFF}", "\u{FEFF}", "~", " ",
]

extension SplitMix64 {
    mutating func text() -> String { text(of: alphabet, upTo: 24) }

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
