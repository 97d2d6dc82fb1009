/// An absolute `https` or `http` URL, read strictly: text that two parsers could read differently is refused.
package struct WebAddress: Sendable, Hashable, CustomStringConvertible {
    /// The whole URL as it was written.
    package let text: String
    /// Whether the scheme is `https`.
    package let isSecure: Bool
    /// The name or address of the host, without port and without the brackets of IPv6.
    package let host: String
    /// Scheme, host and port: `https://school.example:8443`.
    package let origin: String
    /// What follows the origin: nothing, or a path, perhaps with a query.
    package let rest: String

    /// The longest address, in bytes.
    package static let lengthLimit = 2000

    /// `nil` for an address with a user, a fragment, capitals in scheme or host, or characters that URLs encode.
    package init?(_ text: String) {
        guard text.utf8.count <= Self.lengthLimit, text.utf8.allSatisfy(Self.isAllowed) else {
            return nil
        }
        let scheme = ["https://", "http://"].first { text.hasPrefix($0) }
        guard let scheme else { return nil }
        let behind = text.dropFirst(scheme.count)
        let authority = behind.prefix { $0 != "/" && $0 != "?" }
        guard let host = Self.host(authority) else { return nil }
        self.text = text
        self.host = host
        isSecure = scheme == "https://"
        origin = scheme + authority
        rest = String(behind.dropFirst(authority.count))
    }

    package var description: String { text }

    /// The address with more at its end.
    package func appending(_ more: String) -> WebAddress? { WebAddress(text + more) }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        (0x21...0x7E).contains(byte) && !"\"#<>\\^`{|}".utf8.contains(byte)
    }

    private static func host(_ authority: Substring) -> String? {
        if authority.first == "[" {
            guard let end = authority.firstIndex(of: "]") else { return nil }
            let name = authority[authority.index(after: authority.startIndex)..<end]
            let isAddress = name.utf8.allSatisfy { byte in
                (0x30...0x39).contains(byte) || (0x61...0x66).contains(byte)
                    || byte == UInt8(ascii: ":") || byte == UInt8(ascii: ".")
            }
            guard isAddress, !name.isEmpty, isPort(authority[authority.index(after: end)...]) else {
                return nil
            }
            return String(name)
        }
        let name = authority.prefix { $0 != ":" }
        let isName = name.utf8.allSatisfy { byte in
            (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte)
                || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".")
        }
        guard isName, !name.isEmpty, isPort(authority.dropFirst(name.count)) else { return nil }
        return String(name)
    }

    /// Whether the text is nothing, or a colon and a port.
    private static func isPort(_ text: Substring) -> Bool {
        guard let colon = text.first else { return true }
        let digits = text.dropFirst()
        return colon == ":" && digits.utf8.allSatisfy { (0x30...0x39).contains($0) }
            && UInt16(digits).map { $0 > 0 } == true
    }
}
