import JSONBytes

extension Filter {
    /// - Throws: a mistake that says where the text is not a filter.
    init(parsing text: String) throws(FilterMistake) {
        var parser = FilterParser(text)
        self = try parser.whole()
    }
}

/// Reads filters, and the paths of changes, from their bytes.
struct FilterParser {
    private let bytes: [UInt8]
    private var position = 0
    private var comparisons = 0
    private var level = 0

    init(_ text: String) {
        bytes = Array(text.utf8)
    }

    mutating func whole() throws(FilterMistake) -> Filter {
        let filter = try alternatives(inValues: false)
        guard position == bytes.count else { throw mistake("and, or or the end") }
        return filter
    }

    /// A path of a change: an attribute, perhaps with a filter of its values, perhaps with a part of them.
    mutating func change() throws(FilterMistake) -> (
        path: Filter.Path, filter: Filter?, part: String?
    ) {
        let path = try path()
        guard take("[") else {
            guard position == bytes.count else { throw mistake("the end") }
            return (path, nil, nil)
        }
        let filter = try alternatives(inValues: true)
        skipSpaces()
        guard take("]") else { throw mistake("]") }
        var part: String?
        if take(".") { part = try self.path().text }
        guard position == bytes.count else { throw mistake("the end") }
        return (path, filter, part)
    }

    // MARK: From the outside in

    private mutating func alternatives(inValues: Bool) throws(FilterMistake) -> Filter {
        level += 1
        guard level <= Filter.mostLevels else {
            throw mistake("no more than \(Filter.mostLevels) levels of parentheses")
        }
        var alternatives = [try conditions(inValues: inValues)]
        while takeJoint("or") { alternatives.append(try conditions(inValues: inValues)) }
        level -= 1
        return alternatives.count == 1 ? alternatives[0] : .any(alternatives)
    }

    private mutating func conditions(inValues: Bool) throws(FilterMistake) -> Filter {
        var conditions = [try condition(inValues: inValues)]
        while takeJoint("and") { conditions.append(try condition(inValues: inValues)) }
        return conditions.count == 1 ? conditions[0] : .all(conditions)
    }

    private mutating func condition(inValues: Bool) throws(FilterMistake) -> Filter {
        skipSpaces()
        if take("(") { return try inside(inValues) }
        let start = position
        if let word = word(), word == "not" {
            skipSpaces()
            if take("(") { return .not(try inside(inValues)) }
        }
        position = start
        return try comparison(inValues: inValues)
    }

    /// What follows an opening parenthesis.
    private mutating func inside(_ inValues: Bool) throws(FilterMistake) -> Filter {
        let filter = try alternatives(inValues: inValues)
        skipSpaces()
        guard take(")") else { throw mistake(")") }
        return filter
    }

    private mutating func comparison(inValues: Bool) throws(FilterMistake) -> Filter {
        let path = try path()
        if !inValues, take("[") {
            let filter = try alternatives(inValues: true)
            skipSpaces()
            guard take("]") else { throw mistake("]") }
            // Entra's form: one value satisfies the filter, and a part of that value is compared.
            guard take(".") else { return .values(path, filter) }
            return .values(path, .all([filter, try operation(on: try self.path())]))
        }
        return try operation(on: path)
    }

    /// What follows an attribute: an operator, and all of them but `pr` have a value.
    private mutating func operation(on path: Filter.Path) throws(FilterMistake) -> Filter {
        comparisons += 1
        guard comparisons <= Filter.mostComparisons else {
            throw mistake("the end: \(Filter.mostComparisons) comparisons are the most")
        }
        guard position < bytes.count, bytes[position] == UInt8(ascii: " ") else {
            throw mistake("a space and an operator")
        }
        skipSpaces()
        let start = position
        guard let word = word() else { throw mistake(Self.operators) }
        if word == "pr" { return .present(path) }
        guard let comparator = Filter.Comparator(rawValue: word) else {
            position = start
            throw mistake(Self.operators)
        }
        guard position < bytes.count, bytes[position] == UInt8(ascii: " ") else {
            throw mistake("a space and a value")
        }
        skipSpaces()
        return .comparison(path, comparator, try value())
    }

    private static let operators = "one of eq ne co sw ew gt ge lt le pr"

    // MARK: Tokens

    /// An attribute name, with a URN before it or a part after it.
    private mutating func path() throws(FilterMistake) -> Filter.Path {
        skipSpaces()
        let start = position
        while position < bytes.count, isOfPath(bytes[position]) { position += 1 }
        guard (1...300).contains(position - start) else {
            position = start
            throw mistake("the name of an attribute")
        }
        return Filter.Path(
            text: String(decoding: bytes[start..<position], as: UTF8.self), position: start)
    }

    private func isOfPath(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: ":"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"),
            UInt8(ascii: "$"), UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: isLetter(byte)
        }
    }

    private func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }

    /// Letters up to anything else, in lower case.
    private mutating func word() -> String? {
        let start = position
        while position < bytes.count, isLetter(bytes[position]) { position += 1 }
        guard position > start else { return nil }
        return String(decoding: bytes[start..<position].map { $0 | 0x20 }, as: UTF8.self)
    }

    /// A literal of JSON: a text, a number, true, false or null. Clients also send texts in single quotes or without
    /// any, up to the next space or bracket.
    private mutating func value() throws(FilterMistake) -> JSONValue {
        let start = position
        switch position < bytes.count ? bytes[position] : nil {
        case UInt8(ascii: "\""):
            position += 1
            while position < bytes.count, bytes[position] != UInt8(ascii: "\"") {
                position += bytes[position] == UInt8(ascii: "\\") ? 2 : 1
            }
            position = min(position + 1, bytes.count)
            return try literal(from: start, .none)
        case UInt8(ascii: "'"):
            let text = bytes[(start + 1)...].prefix { $0 != UInt8(ascii: "'") }
            position = text.endIndex
            guard take("'") else { throw mistake("a single quote") }
            return try literal(from: start, String(decoding: text, as: UTF8.self))
        default:
            let text = bytes[start...].prefix { !Self.endsBareText($0) }
            position = text.endIndex
            guard !text.isEmpty, !text.contains(UInt8(ascii: "\"")) else {
                position = start
                throw FilterMistake(position: start, expected: Self.values)
            }
            return try literal(from: start, String(decoding: text, as: UTF8.self))
        }
    }

    /// - Parameter text: what it is if it is no literal of JSON.
    private func literal(
        from start: Int, _ text: String?
    ) throws(FilterMistake) -> JSONValue {
        let known = try? JSONValue(parsing: bytes[start..<position])
        guard let value = known ?? text.map({ .text($0) }) else {
            throw FilterMistake(position: start, expected: Self.values)
        }
        if let text = value.text, text.unicodeScalars.contains(where: { $0.value < 0x20 }) {
            throw FilterMistake(position: start, expected: "no control character")
        }
        return value
    }

    private static let values =
        "a value: a text in double quotes, a number, true, false or null"

    private static func endsBareText(_ byte: UInt8) -> Bool {
        [UInt8(ascii: " "), UInt8(ascii: ")"), UInt8(ascii: "]")].contains(byte)
    }

    /// `and` or `or` in any case, between spaces or parentheses.
    private mutating func takeJoint(_ wanted: String) -> Bool {
        let start = position
        skipSpaces()
        let hasSpace = position > start || bytes[position - 1] == UInt8(ascii: ")")
        if hasSpace, word() == wanted, position < bytes.count,
            [UInt8(ascii: " "), UInt8(ascii: "(")].contains(bytes[position])
        {
            return true
        }
        // Spaces at the end mean nothing.
        position = bytes[start...].allSatisfy { $0 == UInt8(ascii: " ") } ? bytes.count : start
        return false
    }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard position < bytes.count, bytes[position] == UInt8(ascii: character) else {
            return false
        }
        position += 1
        return true
    }

    private mutating func skipSpaces() {
        while position < bytes.count, bytes[position] == UInt8(ascii: " ") { position += 1 }
    }

    private func mistake(_ expected: String) -> FilterMistake {
        FilterMistake(position: position, expected: expected)
    }
}
