import Contract
import JSONBytes

/// One mistake in an archive, or what was left out for it: its position, and a sentence about it for the person who made the archive.
package struct ImportFinding: Sendable, Equatable {
    /// `nil` for the archive as a whole.
    package let file: String?
    /// Counted from 1, where line 1 is the header; `nil` for the whole file.
    package let line: Int?
    /// The column's name as written in the header.
    package let column: String?
    package let code: Code
    package let text: String

    package init(
        _ code: Code, file: String? = nil, line: Int? = nil, column: String? = nil, _ text: String
    ) {
        self.file = file
        self.line = line
        self.column = column
        self.code = code
        self.text = text
    }

    /// The kind of mistake.
    package typealias Code = ImportFindingCode
}
