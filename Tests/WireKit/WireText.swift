/// What a client does, one step after another.
package enum Step: Sendable, Equatable {
    case send([UInt8])
    /// Gives the server time to read what was sent, so that the next bytes arrive separately.
    case pause
    /// Waits for the next answer.
    case awaitAnswer
    /// Announces that no more will be sent.
    case finish
}

/// Bytes on a wire, written so that one can see them.
///
/// A line break in the text is for the eye only. A byte is represented by its picture: `␍` `␊` `␉` `␀` `␛` `␋` `␡`, and
/// `␠` for a space that ends a line. Everything else is its UTF-8. Between the bytes may be `✂` (the bytes before and
/// after it arrive separately), `⇠` (the client waits for an answer before it goes on) and `⊣` (the client ends its
/// side).
package struct WireText: Sendable, ExpressibleByStringLiteral, ExpressibleByStringInterpolation {
    package let text: String

    package init(stringLiteral text: String) {
        self.text = text
    }

    package init(_ text: String) {
        self.text = text
    }

    /// Everything that is sent, in one piece.
    package var bytes: [UInt8] {
        steps.flatMap { step -> [UInt8] in if case .send(let bytes) = step { bytes } else { [] } }
    }

    package var steps: [Step] {
        var steps: [Step] = []
        var bytes: [UInt8] = []
        for scalar in text.unicodeScalars {
            if let mark = Self.marks[scalar] {
                if !bytes.isEmpty { steps.append(.send(bytes)) }
                bytes = []
                steps.append(mark)
            } else if let byte = Self.pictures[scalar] {
                bytes.append(byte)
            } else if scalar != "\n" {
                bytes.append(contentsOf: String(scalar).utf8)
            }
        }
        if !bytes.isEmpty { steps.append(.send(bytes)) }
        return steps
    }

    /// The text that represents some bytes, a line each.
    package static func showing(_ bytes: [UInt8]) -> String {
        let names = Dictionary(uniqueKeysWithValues: pictures.map { ($0.value, $0.key) })
        var shown = ""
        for scalar in String(decoding: bytes, as: UTF8.self).unicodeScalars {
            let picture = scalar == " " ? nil : names[UInt8(truncatingIfNeeded: scalar.value)]
            shown.unicodeScalars.append(scalar.isASCII ? picture ?? scalar : scalar)
            if scalar == "\n" { shown += "\n" }
        }
        return shown
    }

    private static let marks: [Unicode.Scalar: Step] = [
        "✂": .pause, "⇠": .awaitAnswer, "⊣": .finish,
    ]

    private static let pictures: [Unicode.Scalar: UInt8] = [
        "␍": 0x0D, "␊": 0x0A, "␉": 0x09, "␀": 0x00, "␛": 0x1B, "␋": 0x0B, "␡": 0x7F, "␠": 0x20,
    ]
}
