import Contract
import Values

extension ValueRule {
    /// The mistake in a value by the rules of OneRoster; `nil` if there is none.
    func standardMistake(in text: String) -> (code: ImportFinding.Code, text: String)? {
        switch self {
        case .sourcedID: ValueRule.mistake(inID: text)
        case .sourcedIDs:
            text.split(separator: ",", omittingEmptySubsequences: false).lazy
                .compactMap { ValueRule.mistake(inID: $0.drop { $0 == " " }) }.first
        case .boolean:
            ["true", "false"].contains(text)
                ? nil
                : (
                    .invalidBoolean,
                    "Write true or false, in small letters, instead of \(shown(text))."
                )
        case .date, .americanDate:
            Day(text) == nil
                ? (.invalidDate, "\(shown(text)) is not a date. Write it as 2026-08-31.") : nil
        case .moment:
            Timestamp(text) == nil
                ? (
                    .invalidTime,
                    "\(shown(text)) is not a time. Write it as 2026-08-31T07:30:00.000Z."
                ) : nil
        case .year:
            text.utf8.count == 4 && text.utf8.allSatisfy { (48...57).contains($0) }
                ? nil : (.invalidDate, "\(shown(text)) is not a year; write it as 2026.")
        case .word(let words), .kind(let words, _):
            words.contains(text)
                ? nil
                : (
                    .invalidWord,
                    "\(shown(text)) is not known here; it must be one of: "
                        + words.joined(separator: ", ") + "."
                )
        case .blank:
            (
                .mustBeEmpty,
                "This must be empty, because manifest.csv says that the file is bulk: it holds everything, "
                    + "not only what changed."
            )
        default: nil
        }
    }

    private static func mistake(
        inID text: some StringProtocol
    ) -> (code: ImportFinding.Code, text: String)? {
        if text.isEmpty {
            return (.missingValue, "An ID is missing: there is a comma too many in the list.")
        }
        return text.unicodeScalars.count <= 255
            ? nil : (.tooLong, "The ID has more than 255 characters.")
    }
}
