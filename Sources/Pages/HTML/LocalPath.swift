/// A path of this server with its query, for links, redirects and inner calls.
///
/// What is interpolated is percent-encoded, so that it stays one segment or one value: `"/classes/\(id)?state=\(state)"`.
package struct LocalPath: Sendable, Equatable, ExpressibleByStringInterpolation {
    /// The encoded path, ready for a link.
    package let text: String

    package init(stringLiteral value: StaticString) { text = "\(value)" }

    package init(stringInterpolation: Interpolation) { text = stringInterpolation.text }

    private init(checked text: String) { self.text = text }

    package struct Interpolation: StringInterpolationProtocol {
        var text = ""

        package init(literalCapacity: Int, interpolationCount: Int) {
            text.reserveCapacity(literalCapacity + 40 * interpolationCount)
        }

        package mutating func appendLiteral(_ literal: StaticString) { text += "\(literal)" }

        package mutating func appendInterpolation(_ value: some CustomStringConvertible) {
            text += LocalPath.encoded(value.description)
        }
    }

    /// The same with one more item in the query; unchanged if the value is `nil`.
    package func with(_ name: StaticString, _ value: String?) -> LocalPath {
        guard let value else { return self }
        return with(item: "\(name)", value)
    }

    /// The same for a name that is known to be one of a query.
    func with(item name: String, _ value: String) -> LocalPath {
        let separator = text.contains("?") ? "&" : "?"
        return LocalPath(checked: "\(text)\(separator)\(name)=\(Self.encoded(value))")
    }

    /// The same path without its query.
    package var withoutQuery: LocalPath { LocalPath(checked: String(text.prefix { $0 != "?" })) }

    /// A text from outside that says where to go on; `nil` unless it surely stays on this server.
    ///
    /// Browsers read `//host`, and a backslash for a slash, as another server, and skip control characters.
    package init?(returning text: String) {
        guard text.utf8.count <= 4096, text.hasPrefix("/"), !text.hasPrefix("//"),
            text.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "\\") })
        else { return nil }
        self.text = text
    }

    /// Everything but the unreserved characters of RFC 3986 as percent and two digits.
    static func encoded(_ text: String) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "-"), UInt8(ascii: "."),
                UInt8(ascii: "_"), UInt8(ascii: "~"):
                bytes.append(byte)
            default:
                bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension LocalPath {
    /// A path that this program made or registered.
    init(own path: String) { self.init(checked: path) }
}
