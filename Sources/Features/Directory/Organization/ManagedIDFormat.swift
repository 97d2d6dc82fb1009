import API

/// How an organization forms managed IDs: elements in braces with plain characters between them, as SQL's
/// `managed_id_name` reads it.
enum ManagedIDFormat {
    /// The elements to form an ID from; those that a person lacks are left out.
    static let elements = [
        "givenName", "middleName", "familyName", "givenInitial", "middleInitial", "familyInitial",
        "personNumber", "sourceId", "grade", "email",
    ]

    /// What is wrong with a format at a pointer; `nil` if it is valid.
    static func problem(of text: String, at pointer: String) -> Problem? {
        let pieces = text.split(separator: "{", omittingEmptySubsequences: false)
        var literals = String(pieces[0])
        if literals.contains("}") { return unbalanced(pointer) }
        for piece in pieces.dropFirst() {
            let parts = piece.split(separator: "}", omittingEmptySubsequences: false)
            guard parts.count == 2 else { return unbalanced(pointer) }
            guard elements.contains(String(parts[0])) else {
                return .invalid(
                    pointer, "unknown_element",
                    "{\(parts[0])} is not one of \(elements.joined(separator: ", ")).")
            }
            literals += parts[1]
        }
        guard literals.utf8.allSatisfy(isLiteral) else {
            return .invalid(
                pointer, "malformed",
                "Between the elements only small letters a to z, digits, dots, hyphens and underscores are allowed."
            )
        }
        guard pieces.count > 1 else {
            return .invalid(
                pointer, "no_element",
                "Everybody would have the same: it needs an element, such as {givenName}.")
        }
        return nil
    }

    private static func unbalanced(_ pointer: String) -> Problem {
        .invalid(
            pointer, "unbalanced_brace", "Every { needs its } before the next one, as {givenName}.")
    }

    private static func isLiteral(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
            UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}
