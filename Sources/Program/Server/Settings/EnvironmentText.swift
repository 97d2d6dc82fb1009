/// The variables in the text of a file for systemd's `EnvironmentFile=`, read as systemd reads it (systemd.exec(5)):
/// comments begin with `#` or `;`, a backslash at the end of a line continues it, and values may be quoted. What systemd
/// passes over with a warning is a mistake here: a command must not use another database for a typing error.
struct EnvironmentText {
    struct Mistake: Error, Equatable {
        /// From 1.
        let line: Int
        let text: String
    }

    /// Values with the number of the line on which each begins.
    private(set) var variables: [String: (value: String, line: Int)] = [:]

    private var rest: Substring.UnicodeScalarView
    private var line = 1

    init(_ text: String) throws(Mistake) {
        rest = Substring(text).unicodeScalars
        while let first = rest.first {
            if first == "\n" || Self.isSpace(first) {
                next()
            } else if first == "#" || first == ";" {
                skipComment()
            } else {
                try readVariable()
            }
        }
    }

    private static func isSpace(_ character: Unicode.Scalar) -> Bool {
        character == " " || character == "\t" || character == "\r"
    }

    /// Takes the next character.
    @discardableResult
    private mutating func next() -> Unicode.Scalar? {
        let character = rest.popFirst()
        if character == "\n" { line += 1 }
        return character
    }

    /// To the end of the line; a backslash takes the next line along.
    private mutating func skipComment() {
        while let character = next(), character != "\n" {
            if character == "\\" { next() }
        }
    }

    private mutating func readVariable() throws(Mistake) {
        let start = line
        var name = String.UnicodeScalarView()
        while let character = rest.first, character != "=", character != "\n" {
            name.append(character)
            next()
        }
        guard rest.first == "=" else {
            throw Mistake(line: start, text: "this is not NAME=value")
        }
        next()
        while let last = name.last, Self.isSpace(last) { name.removeLast() }
        let text = String(name)
        guard text.wholeMatch(of: /[A-Za-z_][A-Za-z0-9_]*/) != nil else {
            throw Mistake(line: start, text: "\(text) is not the name of a variable")
        }
        variables[text] = (try readValue(from: start), start)
    }

    private mutating func readValue(from start: Int) throws(Mistake) -> String {
        var value = String.UnicodeScalarView()
        // Before an unquoted part begins, quotes count and spaces do not.
        var isBegun = false
        var end = 0
        while let character = next(), character != "\n" {
            switch character {
            case "'" where !isBegun, "\"" where !isBegun:
                try readQuoted(character, from: start, into: &value)
                end = value.count
            case "\\":
                isBegun = true
                if let escaped = next(), escaped != "\n" { value.append(escaped) }
                end = value.count
            case let space where Self.isSpace(space):
                if isBegun { value.append(space) }
            default:
                isBegun = true
                value.append(character)
                end = value.count
            }
        }
        return String(String.UnicodeScalarView(value.prefix(end)))
    }

    /// Up to the closing quote; between double quotes a backslash is one but before a quote, itself, `$` and a backtick.
    private mutating func readQuoted(
        _ quote: Unicode.Scalar, from start: Int, into value: inout String.UnicodeScalarView
    ) throws(Mistake) {
        while let character = next() {
            if character == quote { return }
            guard character == "\\", quote == "\"" else {
                value.append(character)
                continue
            }
            guard let escaped = next() else { break }
            if escaped == "\n" { continue }
            if !"\"\\`$".unicodeScalars.contains(escaped) { value.append(character) }
            value.append(escaped)
        }
        throw Mistake(line: start, text: "a quote is not closed")
    }
}
