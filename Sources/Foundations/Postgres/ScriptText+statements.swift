extension ScriptText {
    /// The statements of the file in order, each from its first word on, without the semicolon.
    ///
    /// Understands comments, quoted text and names, dollar quotes, and bodies from `begin atomic` to their `end`.
    package func statements() -> [ScriptText] {
        var scanner = StatementScanner(bytes)
        return scanner.ranges().map { ScriptText(path: path, bytes: Array(bytes[$0])) }
    }

    /// The text, for inspecting a statement.
    package var text: String { String(decoding: bytes, as: UTF8.self) }
}

/// Finds where statements begin and end.
private struct StatementScanner {
    private let bytes: [UInt8]
    private var index = 0
    /// How many `end`s are missing: of `begin atomic`, and of each `case` in it.
    private var open = 0
    private var isAfterBegin = false

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    mutating func ranges() -> [Range<Int>] {
        var found: [Range<Int>] = []
        var start: Int?
        while index < bytes.count {
            if skipComment() { continue }
            let byte = bytes[index]
            if byte == UInt8(ascii: ";"), open == 0 {
                if let first = start { found.append(first..<index) }
                start = nil
                index += 1
            } else if StatementScanner.isBlank(byte) {
                index += 1
            } else {
                if start == nil { start = index }
                skipToken(byte)
            }
        }
        if let first = start { found.append(first..<bytes.count) }
        return found
    }

    /// Skips a comment, if one begins here.
    private mutating func skipComment() -> Bool {
        if isAt("--") {
            while index < bytes.count, bytes[index] != UInt8(ascii: "\n") { index += 1 }
            return true
        }
        guard isAt("/*") else { return false }
        var depth = 0
        repeat {
            if isAt("/*") {
                depth += 1
                index += 2
            } else if isAt("*/") {
                depth -= 1
                index += 2
            } else {
                index += 1
            }
        } while depth > 0 && index < bytes.count
        return true
    }

    private mutating func skipToken(_ byte: UInt8) {
        switch byte {
        case UInt8(ascii: "'"):
            let follows = index > 0 && (bytes[index - 1] | 0x20) == UInt8(ascii: "e")
            let isOwnWord = index < 2 || !StatementScanner.isName(bytes[index - 2])
            skipQuoted(byte, escapes: follows && isOwnWord)
        case UInt8(ascii: "\""): skipQuoted(byte, escapes: false)
        case UInt8(ascii: "$"): skipDollarQuoted()
        case _ where StatementScanner.isName(byte): skipWord()
        default: index += 1
        }
    }

    /// Skips a word, and counts the `end`s that `begin atomic` needs.
    private mutating func skipWord() {
        let start = index
        while index < bytes.count, StatementScanner.isName(bytes[index]) || isDollar { index += 1 }
        let word = String(decoding: bytes[start..<index], as: UTF8.self).lowercased()
        switch word {
        case "atomic" where isAfterBegin, "case" where open > 0: open += 1
        case "end" where open > 0: open -= 1
        default: break
        }
        isAfterBegin = word == "begin"
    }

    private var isDollar: Bool { bytes[index] == UInt8(ascii: "$") }

    /// A doubled quote ends one quoted piece and begins the next, with the same effect.
    private mutating func skipQuoted(_ quote: UInt8, escapes: Bool) {
        index += 1
        while index < bytes.count, bytes[index] != quote {
            index += escapes && bytes[index] == UInt8(ascii: "\\") ? 2 : 1
        }
        index += 1
    }

    /// Skips `$tag$ … $tag$`; skips the dollar alone if it is a parameter or part of a name.
    private mutating func skipDollarQuoted() {
        var end = index + 1
        while end < bytes.count, StatementScanner.isName(bytes[end]) { end += 1 }
        let isInName = index > 0 && StatementScanner.isName(bytes[index - 1])
        let isNumbered = index + 1 < bytes.count && (0x30...0x39).contains(bytes[index + 1])
        guard !isInName, !isNumbered, end < bytes.count, bytes[end] == UInt8(ascii: "$") else {
            index += 1
            return
        }
        let tag = bytes[index...end]
        index = end + 1
        while index < bytes.count, !bytes[index...].starts(with: tag) { index += 1 }
        index = min(bytes.count, index + tag.count)
    }

    private func isAt(_ text: StaticString) -> Bool {
        let count = text.utf8CodeUnitCount
        guard index + count <= bytes.count else { return false }
        return (0..<count).allSatisfy { bytes[index + $0] == text.utf8Start[$0] }
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || (9...13).contains(byte) }

    private static func isName(_ byte: UInt8) -> Bool {
        byte >= 0x80 || byte == UInt8(ascii: "_") || (0x30...0x39).contains(byte)
            || (0x61...0x7A).contains(byte | 0x20)
    }
}
