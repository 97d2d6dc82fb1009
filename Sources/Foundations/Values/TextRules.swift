extension Unicode.Scalar {
    /// Whether it is a control character (C0, DEL, C1) or a line separator, none of which is allowed in a line.
    package var isControl: Bool {
        value < 32 || (127..<160).contains(value) || value == 0x2028 || value == 0x2029
    }
}

/// The syntax that managed IDs and email addresses share.
package enum EmailAddress {
    /// Whether it has text before and after a single @, no spaces or control characters, and at most 320
    /// characters.
    package static func isValid(_ text: String) -> Bool {
        let parts = text.split(separator: "@", omittingEmptySubsequences: false)
        let scalars = text.unicodeScalars
        return parts.count == 2 && parts.allSatisfy { !$0.isEmpty } && scalars.count <= 320
            && !scalars.contains { $0.isControl || $0.properties.isWhitespace }
    }
}
