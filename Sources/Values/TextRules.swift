extension Unicode.Scalar {
    /// Whether it is a control character (C0, DEL, C1) or a line separator, none of which may stand in a line.
    package var isControl: Bool {
        value < 32 || (127..<160).contains(value) || value == 0x2028 || value == 0x2029
    }
}

/// What managed IDs and e-mail addresses have in common.
package enum EmailAddress {
    /// Whether it is something before and after one @, without spaces and control characters, of at most 320
    /// characters.
    package static func isValid(_ text: String) -> Bool {
        let parts = text.split(separator: "@", omittingEmptySubsequences: false)
        let scalars = text.unicodeScalars
        return parts.count == 2 && parts.allSatisfy { !$0.isEmpty } && scalars.count <= 320
            && !scalars.contains { $0.isControl || $0.properties.isWhitespace }
    }
}
