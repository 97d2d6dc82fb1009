import API

/// Where a browser brings a code to an app: an address that only the app on the person's own device receives (RFC 8252
/// section 7).
enum RedirectURI {
    /// Whether the address is one of the app's: `http://127.0.0.1:PORT/callback`, `http://[::1]:PORT/callback` or
    /// `BUNDLEID:/callback`, letter by letter.
    ///
    /// A bundle id without a dot names no scheme of an app, but perhaps one of the browser, such as `javascript`.
    static func isAllowed(_ address: String, for bundleID: String) -> Bool {
        if isScheme(bundleID), address == "\(bundleID):/callback" { return true }
        for host in ["http://127.0.0.1:", "http://[::1]:"] where address.hasPrefix(host) {
            let rest = address.utf8.dropFirst(host.utf8.count)
            let port = rest.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
            return port.first != UInt8(ascii: "0") && UInt16(String(Substring(port))) != nil
                && rest.dropFirst(port.count).elementsEqual("/callback".utf8)
        }
        return false
    }

    /// Whether a connected system may register the address: https, or http where nobody else can listen (RFC 8252
    /// section 7.3), without user and fragment.
    static func isOfSystem(_ address: String) -> Bool {
        guard address.utf8.count <= 2000,
            address.utf8.allSatisfy({
                (0x21...0x7E).contains($0) && !"\"<>\\^`{|}#".utf8.contains($0)
            })
        else { return false }
        let isPlain = ["http://127.0.0.1", "http://[::1]"].contains { host in
            address.hasPrefix(host)
                && [nil, ":", "/", "?"].contains(address.dropFirst(host.count).first)
        }
        guard isPlain || address.hasPrefix("https://") else { return false }
        let rest = address.drop { $0 != "/" }.dropFirst(2)
        let host = rest.prefix { $0 != "/" && $0 != "?" }
        let name = host.hasPrefix("[") ? host.drop { $0 != "]" } : host.drop { $0 != ":" }
        let port = name.drop { $0 == "]" }
        return !host.isEmpty && host.first != ":" && !host.contains("@")
            && (port.isEmpty || port.first == ":" && UInt16(port.dropFirst()) != nil)
    }

    /// The address with parameters (RFC 6749 section 4.1.2), beside those that it may have of its own.
    static func completed(
        _ address: String, with parameters: [(name: String, value: String?)]
    ) -> String {
        let given = parameters.compactMap { name, value in
            value.map { "\(name)=\(encoded($0))" }
        }
        return address + (address.contains("?") ? "&" : "?") + given.joined(separator: "&")
    }

    /// The syntax of a scheme (RFC 3986 section 3.1) with a dot.
    private static func isScheme(_ text: String) -> Bool {
        func isLetter(_ byte: UInt8) -> Bool {
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
        }
        guard let first = text.utf8.first, isLetter(first), text.contains(".") else { return false }
        return text.utf8.allSatisfy { byte in
            isLetter(byte) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                || "+-.".utf8.contains(byte)
        }
    }

    private static func encoded(_ text: String) -> String { percentEncode(text) }
}
