import Values

/// The IRI by which a statement names a context: `SERVER/xapi/activities/BUNDLE/IDENTIFIER/…`. Each part is
/// percent-encoded where it has other characters than the unreserved ones of RFC 3986; the bundle id alone is the app.
struct ContextAddress {
    /// What an IRI names.
    enum Meaning {
        /// Something that is not on this server.
        case elsewhere
        /// Below our own address, but not in the form of a context.
        case malformed
        case context(ContextAddress)
    }

    let bundleID: String
    /// Without the bundle id; empty for the app itself.
    let path: [String]

    /// Runs in time linear in the length of the IRI.
    ///
    /// - Parameter root: where the IRIs of this server begin, with `/xapi` and without a slash at the end.
    static func meaning(of iri: String, below root: String) -> Meaning {
        let prefix = "\(root)/activities/".utf8
        guard iri.utf8.starts(with: prefix) else { return .elsewhere }
        let parts = iri.utf8.dropFirst(prefix.count)
            .split(separator: UInt8(ascii: "/"), maxSplits: 64, omittingEmptySubsequences: false)
        var names: [String] = []
        for part in parts {
            guard let name = decoded(part), !name.isEmpty else { return .malformed }
            names.append(name)
        }
        return .context(ContextAddress(bundleID: names[0], path: Array(names.dropFirst())))
    }

    /// `nil` for bad percent-encoding, for what is not UTF-8, and for a query or a fragment.
    private static func decoded(_ part: Substring.UTF8View) -> String? {
        var bytes: [UInt8] = []
        var rest = part
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "?"), UInt8(ascii: "#"): return nil
            case UInt8(ascii: "%"):
                guard let high = rest.popFirst().flatMap(hexadecimalValue),
                    let low = rest.popFirst().flatMap(hexadecimalValue)
                else { return nil }
                bytes.append(high << 4 | low)
            default: bytes.append(byte)
            }
        }
        return String(validating: bytes, as: UTF8.self)
    }
}
