/// A path below the app as one text, by which rows of the database are found: identifiers separated by slashes.
///
/// A slash inside an identifier is written as %2F, and a percent sign as %25. The key of a descendant therefore begins
/// with the key of the ancestor and a slash; the app's own key is empty.
enum PathKey {
    static func make(_ path: some Sequence<String>) -> String {
        path.map(escape).joined(separator: "/")
    }

    static func path(_ key: String) -> [String] {
        guard !key.isEmpty else { return [] }
        return key.split(separator: "/", omittingEmptySubsequences: false).map { unescape($0) }
    }

    private static func escape(_ identifier: String) -> String {
        guard
            identifier.utf8.contains(where: { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "%") })
        else { return identifier }
        var escaped = ""
        for scalar in identifier.unicodeScalars {
            switch scalar {
            case "/": escaped += "%2F"
            case "%": escaped += "%25"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }

    private static func unescape(_ part: Substring) -> String {
        guard part.utf8.contains(UInt8(ascii: "%")) else { return String(part) }
        var pieces = part.unicodeScalars.split(separator: "%", omittingEmptySubsequences: false)
        var identifier = String(pieces.removeFirst())
        for piece in pieces {
            identifier += piece.starts(with: "2F".unicodeScalars) ? "/" : "%"
            identifier.unicodeScalars.append(contentsOf: piece.dropFirst(2))
        }
        return identifier
    }
}
