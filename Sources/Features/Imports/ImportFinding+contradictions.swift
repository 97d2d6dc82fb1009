import Contract
import Postgres

extension ImportFindings {
    /// Adds the contradictions found by a statement.
    ///
    /// - Parameter format: whose names columns get.
    mutating func add(contradictions rows: Rows, in format: ImportFormat? = nil) throws {
        for row in rows {
            let finding = try ImportFinding(contradiction: row, in: format)
            add(finding)
        }
        if let row = rows.first { addUnkept(try row.int("total") - rows.count) }
    }
}

extension ImportFinding {
    /// Reads a row of `import_mistakes`.
    init(contradiction row: Row, in format: ImportFormat? = nil) throws {
        let code = Code(rawValue: try row.text("code")) ?? .internalError
        let value = shown(try row.text("value"))
        let file = try row.optionalText("known_file") ?? ""
        let line = try row.optionalInt("known_line") ?? 0
        let fileName = try row.text("file")
        let found = try row.text("column_name")
        let column = format?.column(found, of: fileName) ?? found
        let text =
            switch code {
            case .duplicateID: "\(value) already appears in \(file), line \(line)."
            case .duplicateSeat:
                "\(value) is already in this class (line \(line))."
            case .unknownReference where line > 0:
                "\(value) of \(file) was left out (line \(line))."
            case .unknownReference: "There is no \(value) in \(file)."
            case .wrongPeriod: "The end, \(value), is before the beginning."
            case .roleConflict:
                "\(value) is not a \(file) in the list of users, and is seated as one."
            case .classTooLarge:
                "A class may have at most \(line) \(file)s, and \(value) would have more."
            case .circularReference: "\(value) is, by way of others, a part of itself."
            case .movedID:
                "\(value) would be new, and \(shown(file)) with the same name and number would leave. If that is one person "
                    + "with another ID, change the ID of the record here first, or undo the change there."
            case .higherRole:
                "\(value) has a role that the person who ordered this import may not give, and stays as "
                    + "he or she is."
            case .guardedEmail:
                "\(value) teaches or taught and has signed in, so that only an administrator changes the email. It "
                    + "stays as it is."
            case .rolesEnded:
                "Every role in \(fileName) has ended, the last on \(try row.text("value")). They are taken as if they had "
                    + "not. Send an export of this school year."
            default: "The managed ID is made of \(column), so it must not be empty."
            }
        self.init(
            code, file: fileName, line: try row.optionalInt("line"), column: column,
            text)
    }
}
