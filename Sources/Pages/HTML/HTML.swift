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
    /// What `written` made of another part.
    case once(Written)

    /// The bytes of a part.
    package struct Written: Sendable {
        fileprivate let bytes: [UInt8]
    }

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

    /// The same, written now, for what a page has many times.
    var written: HTML {
        var bytes: [UInt8] = []
        write(to: &bytes)
        return .once(Written(bytes: bytes))
    }

    /// Whether nothing would be written.
    package var isEmpty: Bool {
        switch self {
        case .nothing: true
        case .text(let text): text.isEmpty
        case .markup(let markup): markup.utf8CodeUnitCount == 0
        case .element: false
        case .parts(let parts): parts.allSatisfy(\.isEmpty)
        case .once(let written): written.bytes.isEmpty
        }
    }

    package func write(to bytes: inout [UInt8]) {
        switch self {
        case .nothing: break
        case .text(let text): Escaping.append(text, to: &bytes)
        case .markup(let markup): Escaping.appendRaw(markup, to: &bytes)
        case .element(let element): element.write(to: &bytes)
        case .parts(let parts): for part in parts { part.write(to: &bytes) }
        case .once(let written): bytes += written.bytes
        }
    }
}

extension HTML.Element {
    func isNamed(_ name: String) -> Bool { "\(self.name)" == name }

    /// The value of an attribute; `nil` if it is absent or has none.
    subscript(attribute: String) -> String? {
        attributes.lazy.compactMap { $0.value(named: attribute) }.first
    }

    /// Whether an attribute is there that has no value, such as `checked`.
    func has(_ attribute: String) -> Bool { attributes.contains { $0.isOn(attribute) } }

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
        var text = text
        text.withUTF8 { text in
            var start = 0
            for (position, byte) in text.enumerated() {
                guard let instead = replacement(of: byte) else { continue }
                bytes.append(contentsOf: text[start..<position])
                appendRaw(instead, to: &bytes)
                start = position + 1
            }
            bytes.append(contentsOf: text[start...])
        }
    }

    private static func replacement(of byte: UInt8) -> StaticString? {
        switch byte {
        case UInt8(ascii: "&"): "&amp;"
        case UInt8(ascii: "<"): "&lt;"
        case UInt8(ascii: ">"): "&gt;"
        case UInt8(ascii: "\""): "&quot;"
        case UInt8(ascii: "'"): "&#39;"
        case 0x09, 0x0A, 0x0D: nil
        case 0x00..<0x20, 0x7F: "\u{FFFD}"
        default: nil
        }
    }

    static func appendRaw(_ markup: StaticString, to bytes: inout [UInt8]) {
        markup.withUTF8Buffer { bytes.append(contentsOf: $0) }
    }
}
