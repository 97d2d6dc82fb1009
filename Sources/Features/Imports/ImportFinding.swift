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

    /// The kind of mistake; stable, for programs.
    package enum Code: String, Sendable, CaseIterable {
        // The archive.
        case notAnArchive = "not_an_archive"
        case unsafeArchive = "unsafe_archive"
        case fileInFolder = "file_in_folder"
        case unknownFile = "unknown_file"
        case duplicateFile = "duplicate_file"
        case missingFile = "missing_file"
        case unexpectedFile = "unexpected_file"
        case invalidManifest = "invalid_manifest"
        // The form of a file.
        case emptyFile = "empty_file"
        case malformedCSV = "malformed_csv"
        case invalidUTF8 = "invalid_utf8"
        case wrongNumberOfValues = "wrong_number_of_values"
        // The header.
        case missingColumn = "missing_column"
        case unknownColumn = "unknown_column"
        case duplicateColumn = "duplicate_column"
        case wrongColumnOrder = "wrong_column_order"
        // A value.
        case missingValue = "missing_value"
        case leadingSpace = "leading_space"
        case curlyQuotes = "curly_quotes"
        case controlCharacter = "control_character"
        case tooLong = "too_long"
        case invalidIdentifier = "invalid_identifier"
        case invalidEmail = "invalid_email"
        case invalidPasswordPolicy = "invalid_password_policy"
        case invalidBoolean = "invalid_boolean"
        case invalidDate = "invalid_date"
        case invalidTime = "invalid_time"
        case invalidWord = "invalid_word"
        case mustBeEmpty = "must_be_empty"
        // Contradictions between rows.
        case duplicateID = "duplicate_id"
        case duplicateSeat = "duplicate_seat"
        case unknownReference = "unknown_reference"
        case noManagedID = "no_managed_id"
        case wrongPeriod = "wrong_period"
        case circularReference = "circular_reference"
        case classTooLarge = "class_too_large"
        // Warnings about what is skipped or odd.
        case higherRole = "higher_role"
        case guardedEmail = "guarded_email"
        case roleConflict = "role_conflict"
        case directoryChanged = "directory_changed"
        case rolesEnded = "roles_ended"
        // The people who have to decide.
        case lostAuthority = "lost_authority"
        case personErased = "person_erased"
        case approvalExpired = "approval_expired"
        // What is left out of a file.
        case tooManyLeftOut = "too_many_left_out"
        case unknownRow = "unknown_row"
        case noPeople = "no_people"
        case movedID = "moved_id"
        // The service.
        case interrupted
        case internalError = "internal_error"
    }
}
