import HTTPWire

/// The field in which trusted proxies say whose request they pass on.
///
/// Only one is believed: a proxy that appends to the one may pass on the other as the client wrote it.
package enum ForwardedField: String, Sendable {
    case list = "X-Forwarded-For"
    /// Of RFC 7239.
    case standard = "Forwarded"
}

/// The client's address behind proxies: what the trusted ones say in `Forwarded` (RFC 7239) or
/// `X-Forwarded-For`.
///
/// Every proxy appends the address that it saw on the right. So the list is read from the right, starting at
/// the socket's own peer, as long as the address reached is a trusted proxy's. What is left of the first
/// untrusted address was written by that client and is ignored.
enum ForwardedAddress {
    /// Stands for a client whose proxy gives no address, or an invalid one.
    static let unknown = "unknown"

    /// The address that the request came from.
    static func resolve(
        peer: NetworkAddress, headers: HeaderFields, trusted: [AddressRange], field: ForwardedField
    ) -> String {
        func isTrusted(_ address: NetworkAddress) -> Bool {
            trusted.contains { $0.contains(address) }
        }
        guard isTrusted(peer) else { return peer.description }
        let hops =
            switch field {
            case .list: listedHops(headers)
            case .standard: forwardedHops(headers)
            }
        var reached = peer
        for hop in hops.reversed() {
            guard let hop else { return unknown }
            reached = hop
            guard isTrusted(hop) else { break }
        }
        return reached.description
    }

    /// The addresses of `X-Forwarded-For`, the client's first; `nil` for an entry that is not an address.
    private static func listedHops(_ headers: HeaderFields) -> [NetworkAddress?] {
        headers.list("x-forwarded-for").map { address(ofNode: $0[...]) }
    }

    /// The addresses of `Forwarded`, the client's first; `nil` for an element without one. A line that breaks
    /// the grammar is one such element: nothing in it can be distinguished from the client's own text.
    private static func forwardedHops(_ headers: HeaderFields) -> [NetworkAddress?] {
        headers.all("forwarded").flatMap { line -> [NetworkAddress?] in
            var reader = ForwardedReader(line)
            guard let nodes = reader.nodes() else { return [nil] }
            return nodes.map { $0.flatMap { address(ofNode: $0[...]) } }
        }
    }

    /// Reads an address that may have a port: `192.0.2.7`, `192.0.2.7:80`, `2001:db8::7`, `[2001:db8::7]:80`.
    /// Does not read `unknown` or a `_name` that hides an address.
    static func address(ofNode node: Substring) -> NetworkAddress? {
        if node.first == "[" {
            guard let end = node.firstIndex(of: "]"), isPort(node[node.index(after: end)...])
            else { return nil }
            let inner = node[node.index(after: node.startIndex)..<end]
            return inner.contains(":") ? NetworkAddress(inner) : nil
        }
        guard let colon = node.firstIndex(of: ":"), node.lastIndex(of: ":") == colon else {
            return NetworkAddress(node)
        }
        return isPort(node[colon...]) ? NetworkAddress(node[..<colon]) : nil
    }

    /// Whether the text is empty, or a colon and a port: at most five digits, or a name that hides it.
    private static func isPort(_ text: Substring) -> Bool {
        guard let first = text.first else { return true }
        let port = text.dropFirst().utf8
        guard first == ":", let sign = port.first else { return false }
        if sign == UInt8(ascii: "_") {
            return port.count > 1 && port.allSatisfy { isNodeByte($0) }
        }
        return port.count <= 5 && port.allSatisfy { (0x30...0x39).contains($0) }
    }

    private static func isNodeByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        default: "._-".utf8.contains(byte)
        }
    }
}

/// Reads one line of `Forwarded`: elements between commas, of pairs between semicolons (RFC 7239 section 4).
private struct ForwardedReader {
    private let bytes: [UInt8]
    private var position = 0

    init(_ line: String) {
        bytes = Array(line.utf8)
    }

    /// What each element says in `for`, `nil` where it has none; `nil` for a line that breaks the grammar.
    mutating func nodes() -> [String?]? {
        var nodes: [String?] = []
        repeat {
            skipBlanks()
            // Empty elements of a list are ignored (RFC 9110 section 5.6.1).
            if position == bytes.count || bytes[position] == UInt8(ascii: ",") { continue }
            guard let node = element() else { return nil }
            nodes.append(node)
        } while take(",")
        return position == bytes.count ? nodes : nil
    }

    /// The pairs up to the next comma; outer `nil` where they break the grammar.
    private mutating func element() -> String?? {
        var node: String?
        repeat {
            skipBlanks()
            guard let name = token() else { continue }
            guard take("="), let value = take("\"") ? quoted() : token() else { return nil }
            skipBlanks()
            guard name.lowercased() == "for" else { continue }
            // Two addresses for one hop: one of them is not from the proxy.
            guard node == nil else { return nil }
            node = value
        } while take(";")
        skipBlanks()
        return .some(node)
    }

    private mutating func token() -> String? {
        let start = position
        while position < bytes.count, isToken(bytes[position]) { position += 1 }
        return position > start ? String(decoding: bytes[start..<position], as: UTF8.self) : nil
    }

    /// The rest of a quoted string, after its opening quote.
    private mutating func quoted() -> String? {
        var text: [UInt8] = []
        while position < bytes.count {
            var byte = bytes[position]
            position += 1
            if byte == UInt8(ascii: "\"") { return String(decoding: text, as: UTF8.self) }
            if byte == UInt8(ascii: "\\") {
                guard position < bytes.count else { return nil }
                byte = bytes[position]
                position += 1
            }
            text.append(byte)
        }
        return nil
    }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard position < bytes.count, bytes[position] == UInt8(ascii: character) else {
            return false
        }
        position += 1
        return true
    }

    private mutating func skipBlanks() {
        while position < bytes.count, bytes[position] == 0x20 || bytes[position] == 0x09 {
            position += 1
        }
    }

    private func isToken(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
    }
}
