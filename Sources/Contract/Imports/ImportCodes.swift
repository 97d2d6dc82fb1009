import Shapes

/// What came of something in an archive.
package enum ImportLevel: String, Words {
    /// Put right.
    case note
    /// A row, a value or a reference was left out, or is odd.
    case warning
    /// The archive is refused.
    case error
}

/// What an import puts right by itself in what other systems write: nothing is lost by it. Stable, for programs.
package enum ImportNoteCode: String, Words {
    // The archive.
    case folderRemoved = "folder_removed"
    case otherFile = "other_file"
    case fileRenamed = "file_renamed"
    case manifestMended = "manifest_mended"
    // The form of a file.
    case utf16
    case technicalLine = "technical_line"
    case otherSeparator = "other_separator"
    case emptyRow = "empty_row"
    // The header.
    case ownColumn = "own_column"
    case columnOrder = "column_order"
    case absentColumn = "absent_column"
    // Values.
    case trimmed, respelled
    case dateRewritten = "date_rewritten"
    case listMended = "list_mended"
    case shortened, unquoted
    case emptyWord = "empty_word"
    case nearestWord = "nearest_word"
    // Rows.
    case repeatedRow = "repeated_row"
    case repeatedSeat = "repeated_seat"
}

/// A kind of mistake, or of what is odd; stable, for programs.
package enum ImportFindingCode: String, Words {
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

extension Shape {
    /// What can be found in an archive: what is put right, then what is wrong.
    static let importCode = Shape.word(
        ImportNoteCode.allCases.map(\.rawValue) + ImportFindingCode.allCases.map(\.rawValue))
}
