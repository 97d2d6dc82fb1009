import Values

/// The longest text of one field, in bytes before escaping.
private let textLimit = 2_000

func appendText(
    _ level: Log.Level, _ message: StaticString, _ fields: LogFields, _ moment: Timestamp,
    to line: inout [UInt8]
) {
    moment.append(to: &line)
    line.append(UInt8(ascii: " "))
    line.append(contentsOf: level.name.utf8)
    line.append(UInt8(ascii: " "))
    append(message, to: &line)
    for (key, value) in fields.members {
        line.append(UInt8(ascii: " "))
        append(key, to: &line)
        line.append(UInt8(ascii: "="))
        switch value {
        case .text(let text) where isBare(text): line.append(contentsOf: text.utf8)
        case .text(let text): appendQuoted(text, to: &line)
        default: appendPlain(value, to: &line)
        }
    }
}

func appendJSON(
    _ level: Log.Level, _ message: StaticString, _ fields: LogFields, _ moment: Timestamp,
    to line: inout [UInt8]
) {
    line.append(contentsOf: #"{"time":""#.utf8)
    moment.append(to: &line)
    line.append(contentsOf: #"","level":""#.utf8)
    line.append(contentsOf: level.name.utf8)
    line.append(contentsOf: #"","message":"#.utf8)
    appendQuoted(message.description, to: &line)
    for (key, value) in fields.members {
        line.append(contentsOf: #",""#.utf8)
        append(key, to: &line)
        line.append(contentsOf: #"":"#.utf8)
        switch value {
        case .text(let text): appendQuoted(text, to: &line)
        case .uuid(let uuid): appendQuoted(uuid.description, to: &line)
        default: appendPlain(value, to: &line)
        }
    }
    line.append(UInt8(ascii: "}"))
}

private func append(_ literal: StaticString, to line: inout [UInt8]) {
    literal.withUTF8Buffer { line.append(contentsOf: $0) }
}

private func appendPlain(_ value: LogValue, to line: inout [UInt8]) {
    switch value {
    case .int(let number): line.append(contentsOf: String(number).utf8)
    case .text(let text): appendQuoted(text, to: &line)
    case .uuid(let uuid): uuid.append(to: &line)
    case .bool(let flag): line.append(contentsOf: (flag ? "true" : "false").utf8)
    case .milliseconds(let duration):
        // Microsecond precision is enough; an invalid duration is written as zero.
        let thousandths = duration.isFinite && duration.magnitude < 1e12 ? duration * 1000 : 0
        line.append(contentsOf: String(thousandths.rounded() / 1000).utf8)
    }
}

/// Whether a text can be part of a text line without quotes.
private func isBare(_ text: String) -> Bool {
    !text.isEmpty && text.utf8.count <= 200
        && text.utf8.allSatisfy { byte in
            byte > 0x20 && byte < 0x7F && byte != UInt8(ascii: "\"")
                && byte != UInt8(ascii: "=") && byte != UInt8(ascii: "\\")
        }
}

/// Appends a JSON string in which nothing can end the line or control a terminal.
private func appendQuoted(_ text: String, to line: inout [UInt8]) {
    line.append(UInt8(ascii: "\""))
    var length = 0
    for scalar in text.unicodeScalars {
        length += UTF8.width(scalar)
        if length > textLimit {
            line.append(contentsOf: "…".utf8)
            break
        }
        switch scalar {
        case "\"": line.append(contentsOf: #"\""#.utf8)
        case "\\": line.append(contentsOf: #"\\"#.utf8)
        case "\n": line.append(contentsOf: #"\n"#.utf8)
        case "\t": line.append(contentsOf: #"\t"#.utf8)
        default:
            if isHidden(scalar) {
                let digits = String(scalar.value, radix: 16)
                line.append(contentsOf: #"\u"#.utf8)
                line.append(contentsOf: String(repeating: "0", count: 4 - digits.count).utf8)
                line.append(contentsOf: digits.utf8)
            } else {
                line.append(contentsOf: UTF8.encode(scalar)!)
            }
        }
    }
    line.append(UInt8(ascii: "\""))
}

/// Whether a log line escapes the character: control characters, and the marks that change the direction of
/// writing.
private func isHidden(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069: true
    default: scalar.isControl
    }
}
