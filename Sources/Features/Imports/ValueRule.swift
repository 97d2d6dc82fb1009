import Contract
import Values

/// The rule for the values of a column.
enum ValueRule: Sendable {
    // Rules of Apple's templates.
    /// Letters, digits and hyphens, at most 255 characters.
    case identifier
    /// 4, 6, 8 or blank.
    case passwordPolicy

    // Rules of both.
    /// One line of at most 256 characters; line breaks in it count as spaces.
    case label
    /// The same with at most 64 characters.
    case shortLabel
    case email

    // Rules of OneRoster.
    /// 1 to 255 printable characters.
    case sourcedID
    /// Several of them, separated by commas.
    case sourcedIDs
    /// `true` or `false`, in lower case.
    case boolean
    /// A day as `2026-08-31`.
    case date
    /// The same; of a day that may be two, such as 9/1/2021, the month comes first, as in Microsoft's own files.
    case americanDate
    /// A moment as `2026-08-31T07:30:00.000Z`.
    case moment
    /// A year as `2026`.
    case year
    /// One of these words.
    case word([String])
    /// One of these words, or another that counts as the last.
    case kind([String], otherwise: String)
    /// Blank, because the whole file implies it.
    case blank
    /// Not used, and therefore not checked.
    case anything
}

extension ValueRule {
    /// The mistake in a value that is not empty; `nil` if there is none.
    func mistake(in value: ArraySlice<UInt8>) -> (code: ImportFinding.Code, text: String)? {
        if acceptsPlainly(value) { return nil }
        let text = String(decoding: value, as: UTF8.self)
        let scalars = text.unicodeScalars
        guard let first = scalars.first, let last = scalars.last else { return nil }
        if first == " " || first == "\t" {
            return (.leadingSpace, "There is a space before the value. Remove it.")
        }
        // One at one end only belongs to the value: Robert “Bob”.
        if "\u{201C}\u{201D}\u{201E}".unicodeScalars.contains(first),
            "\u{201C}\u{201D}".unicodeScalars.contains(last)
        {
            return (
                .curlyQuotes, "The value is in curly quotation marks. Use straight ones."
            )
        }
        if labelLengthMax == nil || !scalars.allSatisfy(ValueRule.mayStandInLabel),
            scalars.contains(where: \.isControl)
        {
            return (.controlCharacter, "The value contains an invisible control character.")
        }
        return ownMistake(in: text)
    }

    /// Whether the value is valid by its ASCII characters alone: true of most values, at the least cost.
    func acceptsPlainly(_ value: ArraySlice<UInt8>) -> Bool {
        switch self {
        case .identifier: value.count <= 255 && value.allSatisfy(isPlainIdentifier)
        case .sourcedID:
            value.count <= 255 && value.allSatisfy { (0x21..<0x7F).contains($0) }
        case .anything: true
        case .label, .shortLabel:
            value.count <= labelLengthMax ?? 0 && value.first != UInt8(ascii: " ")
                && value.allSatisfy { (0x20..<0x7F).contains($0) }
        default: false
        }
    }

    private func ownMistake(in text: String) -> (code: ImportFinding.Code, text: String)? {
        let scalars = text.unicodeScalars
        switch self {
        case .identifier:
            if scalars.count > 255 { return (.tooLong, "The ID has more than 255 characters.") }
            let isValid = scalars.allSatisfy { scalar in
                scalar == "-" || scalar.properties.numericType == .decimal
                    || ValueRule.letters.contains(scalar.properties.generalCategory)
            }
            return isValid
                ? nil
                : (
                    .invalidIdentifier,
                    "\(shown(text)) is not a valid ID: use only letters, digits and hyphens."
                )
        case .label, .shortLabel:
            if scalars.allSatisfy(\.properties.isWhitespace) {
                return (.leadingSpace, "The value is only spaces. Leave it empty.")
            }
            let lengthMax = labelLengthMax ?? 0
            return scalars.count <= lengthMax
                ? nil : (.tooLong, "The value has more than \(lengthMax) characters.")
        case .email:
            return EmailAddress.isValid(text)
                ? nil : (.invalidEmail, "This is not an e-mail address.")
        case .passwordPolicy:
            return ["4", "6", "8"].contains(text)
                ? nil
                : (
                    .invalidPasswordPolicy,
                    "The password policy must be 4, 6, 8 or empty, not \(shown(text))."
                )
        default: return standardMistake(in: text)
        }
    }

    /// `nil` if the rule is not a label.
    var labelLengthMax: Int? {
        switch self {
        case .label: 256
        case .shortLabel: 64
        default: nil
        }
    }

    private static let letters: [Unicode.GeneralCategory] = [
        .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter,
    ]

    /// Line breaks and tabs are allowed in a label, where they count as spaces.
    static func mayStandInLabel(_ scalar: Unicode.Scalar) -> Bool {
        !scalar.isControl || scalar == "\n" || scalar == "\r" || scalar == "\t"
    }
}

private func isPlainIdentifier(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
        true
    default: false
    }
}
