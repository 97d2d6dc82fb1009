/// A filter as OneRoster writes it: `familyName='Meyer' AND role='teacher'`.
///
/// The standard joins two comparisons at most; here it may be twenty, and `AND` binds closer than `OR`.
struct Filter: Equatable, Sendable {
    /// How a field is compared with a value.
    enum Comparator: String, CaseIterable, Sendable {
        case notEqual = "!="
        case atLeast = ">="
        case atMost = "<="
        case equal = "="
        case greater = ">"
        case less = "<"
        case contains = "~"
    }

    struct Comparison: Equatable, Sendable {
        let field: String
        let comparator: Comparator
        let value: String

        static let isActive = Comparison(field: "status", comparator: .equal, value: "active")
    }

    /// Joined by `OR`; each part is joined by `AND`.
    let alternatives: [[Comparison]]

    /// The names of all fields that are compared.
    var fields: Set<String> { Set(alternatives.joined().map(\.field)) }

    /// Whether everything that it finds is in the roster: each alternative requires that.
    private var wantsActive: Bool {
        alternatives.allSatisfy { $0.contains(.isActive) }
    }

    /// Whether it finds objects that left the roster: it asks what changed.
    var findsFormer: Bool {
        !wantsActive && !fields.isDisjoint(with: ["status", "dateLastModified"])
    }

    /// Whether it finds everything that is in the roster, and nothing else: one alternative requires no more.
    var findsAllActive: Bool {
        wantsActive && alternatives.contains { all in all.allSatisfy { $0 == .isActive } }
    }

    static let mostComparisons = 20

    /// - Throws: a mistake that says where the text is not a filter.
    init(parsing text: String) throws(FilterMistake) {
        var parser = FilterParser(text)
        alternatives = try parser.filter()
    }
}

/// What is wrong with the text of a filter.
struct FilterMistake: Error, Equatable {
    /// The position of the mistake in bytes, from 0.
    let position: Int
    /// What should be there.
    let expected: String
}

/// Reads a filter from its bytes.
private struct FilterParser {
    private let bytes: [UInt8]
    private var position = 0

    init(_ text: String) {
        bytes = Array(text.utf8)
    }

    mutating func filter() throws(FilterMistake) -> [[Filter.Comparison]] {
        var alternatives = [[try comparison()]]
        var count = 1
        while let word = joint() {
            count += 1
            guard count <= Filter.mostComparisons else {
                throw mistake("the end: \(Filter.mostComparisons) comparisons are the most")
            }
            let next = try comparison()
            if word == "AND" {
                alternatives[alternatives.count - 1].append(next)
            } else {
                alternatives.append([next])
            }
        }
        skipSpaces()
        guard position == bytes.count else { throw mistake("AND, OR or the end") }
        return alternatives
    }

    private mutating func comparison() throws(FilterMistake) -> Filter.Comparison {
        skipSpaces()
        let field = try name()
        skipSpaces()
        let comparator = try comparator()
        skipSpaces()
        return Filter.Comparison(field: field, comparator: comparator, value: try value())
    }

    private mutating func name() throws(FilterMistake) -> String {
        let start = position
        while position < bytes.count, isOfName(bytes[position]) { position += 1 }
        guard (1...100).contains(position - start) else { throw mistake("the name of a field") }
        return String(decoding: bytes[start..<position], as: UTF8.self)
    }

    private func isOfName(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"):
            true
        default: false
        }
    }

    /// Longer ones are tried first.
    private mutating func comparator() throws(FilterMistake) -> Filter.Comparator {
        for candidate in Filter.Comparator.allCases
        where bytes[position...].starts(with: candidate.rawValue.utf8) {
            position += candidate.rawValue.utf8.count
            return candidate
        }
        throw mistake("one of = != > >= < <= ~")
    }

    /// A text in single quotes. A quote within it may be doubled, or stand alone where the text does not end.
    private mutating func value() throws(FilterMistake) -> String {
        guard position < bytes.count, bytes[position] == Self.quote else {
            throw mistake("a value in single quotes")
        }
        position += 1
        var value: [UInt8] = []
        while position < bytes.count {
            let byte = bytes[position]
            guard byte >= 0x20, byte != 0x7F else { throw mistake("no control character") }
            if byte == Self.quote {
                if endsValue(position) {
                    position += 1
                    return String(decoding: value, as: UTF8.self)
                }
                let isDoubled = position + 1 < bytes.count && bytes[position + 1] == Self.quote
                position += isDoubled ? 1 : 0
            }
            value.append(byte)
            position += 1
        }
        throw mistake("a closing single quote")
    }

    /// Whether nothing, or AND or OR, follows the quote.
    private func endsValue(_ quote: Int) -> Bool {
        let rest = bytes[(quote + 1)...].drop { $0 == UInt8(ascii: " ") }
        if rest.isEmpty { return true }
        guard rest.startIndex > quote + 1 else { return false }
        return Self.word(at: rest) != nil
    }

    private mutating func joint() -> String? {
        skipSpaces()
        guard let word = Self.word(at: bytes[position...]) else { return nil }
        position += word.utf8.count
        return word
    }

    /// AND or OR in any case, before a space.
    private static func word(at rest: ArraySlice<UInt8>) -> String? {
        for word in ["AND", "OR"] {
            let head = rest.prefix(word.utf8.count).map { $0 & 0xDF }
            let next = rest.dropFirst(word.utf8.count).first
            if head.elementsEqual(word.utf8), next == UInt8(ascii: " ") { return word }
        }
        return nil
    }

    private mutating func skipSpaces() {
        while position < bytes.count, bytes[position] == UInt8(ascii: " ") { position += 1 }
    }

    private func mistake(_ expected: String) -> FilterMistake {
        FilterMistake(position: position, expected: expected)
    }

    private static let quote = UInt8(ascii: "'")
}
