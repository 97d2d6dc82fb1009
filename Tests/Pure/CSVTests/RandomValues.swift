import RandomKit
import Values

/// What is hard to write into CSV, or to read from it.
private let alphabet: [Unicode.Scalar] = [
    "a", "b", "1", ",", ";", "\"", "\\", "\n", "\r", " ", "\t", "é", "中", "😀", "\u{FEFF}", "=", "-",
    "'",
]

extension SplitMix64 {
    mutating func value() -> String { text(of: alphabet, upTo: 8) }
}
