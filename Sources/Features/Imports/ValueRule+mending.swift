import Contract
import Values

/// A value as it is taken in, and what is wrong with it.
struct TakenValue {
    var bytes: ArraySlice<UInt8>
    /// If there is one, the value cannot be used.
    var mistake: (code: ImportFinding.Code, text: String)?

    init(_ bytes: ArraySlice<UInt8>) { self.bytes = bytes }

    init(_ text: String) { bytes = Array(text.utf8)[...] }

    init(_ bytes: ArraySlice<UInt8>, mistake: (code: ImportFinding.Code, text: String)?) {
        self.bytes = bytes
        self.mistake = mistake
    }
}

extension ValueRule {
    /// The value as it is meant, in the one form that the database knows, and what was put right.
    ///
    /// - Parameter mayBeEmpty: whether a word of databases for "nothing" can be taken as that.
    func taken(
        _ value: ArraySlice<UInt8>, mayBeEmpty: Bool, _ note: (ImportNote) -> Void
    ) -> TakenValue {
        let trimmed = value.trimmedText
        if trimmed.count != value.count { note(.trimmed) }
        if trimmed.isEmpty || isPlain(trimmed) { return TakenValue(trimmed) }
        if mayBeEmpty, trimmed.elementsEqual("NULL".utf8) {
            note(.emptyWord)
            return TakenValue([])
        }
        let text = String(decoding: trimmed, as: UTF8.self)
        switch self {
        case .label, .shortLabel: return label(text, note)
        case .boolean: return boolean(text, note)
        case .date, .americanDate: return date(text, trimmed, note)
        case .word(let words): return word(text, words, otherwise: nil, note)
        case .kind(let words, let otherwise):
            return word(text, words, otherwise: otherwise, note)
        case .sourcedIDs: return list(text, note)
        case .blank, .moment, .year, .anything: return TakenValue(trimmed)
        default: return TakenValue(trimmed, mistake: mistake(in: trimmed))
        }
    }

    /// Whether the value is in order by its bytes alone: true of most, at the least cost.
    private func isPlain(_ value: ArraySlice<UInt8>) -> Bool {
        switch self {
        case .boolean: value.elementsEqual("true".utf8) || value.elementsEqual("false".utf8)
        case .word(let words), .kind(let words, _):
            words.contains { value.elementsEqual($0.utf8) }
        case .label, .shortLabel:
            // The word for nothing is in capitals.
            acceptsPlainly(value) && !value.elementsEqual("NULL".utf8)
        case .date, .americanDate: isPlainDay(value)
        default: acceptsPlainly(value)
        }
    }

    /// Without marks around it and characters that nobody sees, and as long as it may be.
    private func label(_ text: String, _ note: (ImportNote) -> Void) -> TakenValue {
        var scalars = Array(text.unicodeScalars)
        if scalars.contains(where: { $0.isControl && !ValueRule.mayStandInLabel($0) }) {
            scalars.removeAll { $0.isControl && !ValueRule.mayStandInLabel($0) }
            note(.trimmed)
        }
        if let first = scalars.first, let last = scalars.last, scalars.count > 2,
            ValueRule.openingMarks.contains(first), ValueRule.closingMarks.contains(last)
        {
            scalars = Array(scalars.dropFirst().dropLast())
            note(.unquoted)
        }
        if let most = labelLengthMax, scalars.count > most {
            scalars = Array(scalars.prefix(most))
            note(.shortened)
        }
        var mended = ""
        mended.unicodeScalars.append(contentsOf: scalars)
        let value = Array(mended.utf8)[...].trimmedText
        return TakenValue(value, mistake: value.isEmpty ? nil : mistake(in: value))
    }

    private func boolean(_ text: String, _ note: (ImportNote) -> Void) -> TakenValue {
        let word = text.lowercased()
        let isTrue = ValueRule.wordsForTrue.contains(word)
        guard isTrue || ValueRule.wordsForFalse.contains(word) else {
            return TakenValue(Array(text.utf8)[...], mistake: standardMistake(in: text))
        }
        note(.respelled)
        return TakenValue(isTrue ? "true" : "false")
    }

    private var isAmerican: Bool {
        if case .americanDate = self { true } else { false }
    }

    private func date(
        _ text: String, _ bytes: ArraySlice<UInt8>, _ note: (ImportNote) -> Void
    ) -> TakenValue {
        if Day(text) != nil { return TakenValue(bytes) }
        switch UsualDate(text) {
        case .certain(let day):
            note(.dateRewritten)
            return TakenValue(day.description)
        case .ambiguous(let monthFirst, _) where isAmerican:
            note(.dateRewritten)
            return TakenValue(monthFirst.description)
        case .ambiguous(let one, let other):
            return TakenValue(
                bytes,
                mistake: (
                    .invalidDate,
                    "\(shown(text)) may be \(one) or \(other). Write it as 2026-08-31."
                ))
        case nil: return TakenValue(bytes, mistake: standardMistake(in: text))
        }
    }

    /// A word in any case. One of another vocabulary (`ext:…`) counts as the known word in which it ends.
    private func word(
        _ text: String, _ words: [String], otherwise: String?, _ note: (ImportNote) -> Void
    ) -> TakenValue {
        let lower = text.lowercased()
        if let known = words.first(where: { $0.lowercased() == lower }) {
            note(.respelled)
            return TakenValue(known)
        }
        if lower.hasPrefix("ext:") {
            let nearest = words.filter { lower.hasSuffix($0.lowercased()) }
                .max { $0.utf8.count < $1.utf8.count }
            if let nearest {
                note(.nearestWord)
                return TakenValue(nearest)
            }
        }
        if let otherwise {
            note(.nearestWord)
            return TakenValue(otherwise)
        }
        return TakenValue(Array(text.utf8)[...], mistake: standardMistake(in: text))
    }

    /// IDs with commas between them, and no comma too many.
    private func list(_ text: String, _ note: (ImportNote) -> Void) -> TakenValue {
        let parts = text.split(separator: ",", omittingEmptySubsequences: false)
        let ids = parts.map { Array($0.utf8)[...].trimmedText }.filter { !$0.isEmpty }
        if ids.count != parts.count { note(.listMended) }
        let joined = Array(ids.joined(separator: [UInt8(ascii: ",")]))[...]
        return TakenValue(joined, mistake: joined.isEmpty ? nil : mistake(in: joined))
    }

    private static let openingMarks = Array("\u{201C}\u{201D}\u{201E}".unicodeScalars)
    private static let closingMarks = Array("\u{201C}\u{201D}".unicodeScalars)
    /// As spreadsheets write them in English, German, French, Spanish, Portuguese, Italian and Dutch.
    private static let wordsForTrue: Set<String> = [
        "true", "t", "1", "yes", "y", "wahr", "vrai", "verdadero", "verdadeiro", "vero", "waar",
    ]
    private static let wordsForFalse: Set<String> = [
        "false", "f", "0", "no", "n", "falsch", "faux", "falso", "onwaar",
    ]
}

extension ArraySlice<UInt8> {
    /// Without spaces and characters without a shape at both ends: those of ASCII, U+00A0, U+2000 to U+200B, U+2060,
    /// U+3000 and the byte order mark.
    var trimmedText: ArraySlice<UInt8> {
        guard let first, let last else { return self }
        if first > 0x20, first < 0x7F, last > 0x20, last < 0x7F { return self }
        var text = self
        while let length = text.blankAtStart { text = text.dropFirst(length) }
        while let length = text.blankAtEnd { text = text.dropLast(length) }
        return text
    }

    private var blankAtStart: Int? {
        guard let first else { return nil }
        if first == 0x20 || (0x09...0x0D).contains(first) { return 1 }
        return [2, 3].first { count >= $0 && prefix($0).isBlankCharacter }
    }

    private var blankAtEnd: Int? {
        guard let last else { return nil }
        if last == 0x20 || (0x09...0x0D).contains(last) { return 1 }
        return [2, 3].first { count >= $0 && suffix($0).isBlankCharacter }
    }

    private var isBlankCharacter: Bool {
        let bytes = Array(self)
        switch bytes.count {
        case 2: return bytes == [0xC2, 0xA0]
        default:
            return bytes == [0xEF, 0xBB, 0xBF] || bytes == [0xE3, 0x80, 0x80]
                || bytes == [0xE2, 0x81, 0xA0]
                || (bytes[0] == 0xE2 && bytes[1] == 0x80 && (0x80...0x8B).contains(bytes[2]))
        }
    }
}

/// Whether a value is a day as `2026-08-31`, of those that every month has.
private func isPlainDay(_ value: ArraySlice<UInt8>) -> Bool {
    guard value.count == 10 else { return false }
    let start = value.startIndex
    func digit(_ index: Int) -> Int { Int(value[start + index]) - 48 }
    guard digit(4) == -3, digit(7) == -3 else { return false }
    for index in 0..<10 where index != 4 && index != 7 {
        guard (0...9).contains(digit(index)) else { return false }
    }
    return digit(0) + digit(1) > 0 && (1...12).contains(digit(5) * 10 + digit(6))
        && (1...28).contains(digit(8) * 10 + digit(9))
}
