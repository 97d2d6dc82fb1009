/// A person's given and family name, in the person's own order.
package struct FullName: Sendable, Hashable {
    package let given: String
    package let family: String
    package let isFamilyFirst: Bool

    package init(given: String, family: String, isFamilyFirst: Bool) {
        self.given = given
        self.family = family
        self.isFamilyFirst = isFamilyFirst
    }

    /// `Rosa Delgado`, `Nagy Anna`, `田中陽菜`: there is no space between two names in an East Asian script where the family
    /// name comes first. The same as `full_name()` in the database.
    package var text: String {
        guard isFamilyFirst else { return "\(given) \(family)" }
        let isEastAsian =
            family.unicodeScalars.last.map(Self.isEastAsian) == true
            && given.unicodeScalars.first.map(Self.isEastAsian) == true
        return isEastAsian ? family + given : "\(family) \(given)"
    }

    /// Han, kana or Hangul.
    private static func isEastAsian(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x3005...0x3007, 0x3041...0x30FF, 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xAC00...0xD7A3,
            0xF900...0xFAFF:
            true
        default: false
        }
    }
}
