/// What is wrong with a CSV file, and where.
package struct CSVError: Error, Equatable, CustomStringConvertible {
    /// The line of the file, counted from 1; line breaks inside quoted values count.
    package let line: Int
    /// The character in the line, counted from 1 in Unicode scalars.
    package let column: Int
    package let code: Code
    /// One sentence for people; it never quotes the file's content.
    package let text: String

    init(_ code: Code, line: Int, column: Int, text: String? = nil) {
        self.line = line
        self.column = column
        self.code = code
        self.text = text ?? code.sentence
    }

    package var description: String { "\(line):\(column) \(text)" }

    /// Whether the reader can go on with the next record after this error.
    package var isConfinedToRecord: Bool { code == .fieldCount || code == .invalidUTF8 }

    /// The kind of error, for programs.
    package enum Code: String, Sendable, CaseIterable {
        case unterminatedQuote
        case strayQuote
        case textAfterQuote
        case bareCarriageReturn
        case nullCharacter
        case invalidUTF8
        case fieldTooLong
        case recordTooLong
        case tooManyFields
        case fieldCount

        var sentence: String {
            switch self {
            case .unterminatedQuote: "The quotation mark that opens here is never closed."
            case .strayQuote: "A value that does not begin with a quotation mark contains one."
            case .textAfterQuote: "Something follows the closing quotation mark."
            case .bareCarriageReturn: "A carriage return has no line feed after it."
            case .nullCharacter: "The character U+0000 is not text."
            case .invalidUTF8: "The value is not valid UTF-8."
            case .fieldTooLong: "The value is too long."
            case .recordTooLong: "The record is too long."
            case .tooManyFields: "The record has too many values."
            case .fieldCount: "The record has another number of values than the header."
            }
        }
    }
}
