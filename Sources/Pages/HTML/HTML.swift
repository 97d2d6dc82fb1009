/// A part of a page.
///
/// Text is escaped when it is written. Markup that is not escaped can only come from literals in the source.
package enum HTML: Sendable {
    case nothing
    /// Any text, from any source.
    case text(String)
    /// Markup from the source.
    case markup(StaticString)
    case element(Element)
    case parts([HTML])

    /// An element with its attributes and what it contains.
    package struct Element: Sendable {
        let name: StaticString
        let attributes: [Attribute]
        /// `nil` for an element that cannot contain anything, such as `input`.
        let content: [HTML]?
    }

    /// The bytes to send.
    package var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(16_384)
        write(to: &bytes)
        return bytes
    }

    /// Whether nothing would be written.
    package var isEmpty: Bool {
        switch self {
        case .nothing: true
        case .text(let text): text.isEmpty
        case .markup(let markup): markup.utf8CodeUnitCount == 0
        case .element: false
        case .parts(let parts): parts.allSatisfy(\.isEmpty)
        }
    }

    package func write(to bytes: inout [UInt8]) {
        switch self {
        case .nothing: break
        case .text(let text): Escaping.append(text, to: &bytes)
        case .markup(let markup): Escaping.appendRaw(markup, to: &bytes)
        case .element(let element): element.write(to: &bytes)
        case .parts(let parts): for part in parts { part.write(to: &bytes) }
        }
    }
}

extension HTML.Element {
    func write(to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "<"))
        Escaping.appendRaw(name, to: &bytes)
        for attribute in attributes { attribute.write(to: &bytes) }
        bytes.append(UInt8(ascii: ">"))
        guard let content else { return }
        for part in content { part.write(to: &bytes) }
        bytes.append(contentsOf: "</".utf8)
        Escaping.appendRaw(name, to: &bytes)
        bytes.append(UInt8(ascii: ">"))
    }
}

extension HTML: ExpressibleByStringInterpolation {
    /// Text, which is escaped like any other.
    package init(stringLiteral value: String) { self = .text(value) }
}

enum Escaping {
    /// Appends text so that it means itself between tags and in a quoted attribute. Control characters, which HTML
    /// does not allow, become U+FFFD.
    static func append(_ text: String, to bytes: inout [UInt8]) {
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "&"): bytes.append(contentsOf: "&amp;".utf8)
            case UInt8(ascii: "<"): bytes.append(contentsOf: "&lt;".utf8)
            case UInt8(ascii: ">"): bytes.append(contentsOf: "&gt;".utf8)
            case UInt8(ascii: "\""): bytes.append(contentsOf: "&quot;".utf8)
            case UInt8(ascii: "'"): bytes.append(contentsOf: "&#39;".utf8)
            case 0x09, 0x0A, 0x0D: bytes.append(byte)
            case 0x00..<0x20, 0x7F: bytes.append(contentsOf: "\u{FFFD}".utf8)
            default: bytes.append(byte)
            }
        }
    }

    static func appendRaw(_ markup: StaticString, to bytes: inout [UInt8]) {
        markup.withUTF8Buffer { bytes.append(contentsOf: $0) }
    }
}
