import API
import HTTPWire
import JSONBytes
import Postgres
import School
import Values

extension XAPI {
    /// What each statement takes of a person's allowance beside its content, since its receipt stays for a month: 64
    /// statements a second, after 2,000 at once. How many there may be in a day, `UploadAllowances` says.
    private static let receiptBytes = 16 << 10

    /// Puts statements into the inbox, all or none.
    ///
    /// - Parameter pointers: where in the body each of them is.
    func take(
        _ statements: [LearningStatement], _ pointers: [String], of caller: Caller
    ) async throws {
        var writer = JSONWriter()
        writer.beginArray()
        for statement in statements { statement.write(into: &writer) }
        writer.endArray()
        let document = writer.bytes
        let rows = try await inbox.take(
            .takeStatements(JSONDocument(document)), bytes: document.count,
            costing: document.count + statements.count * Self.receiptBytes,
            receipts: statements.count, of: caller)
        guard !rows.isEmpty else { return }
        let refused = try rows.map { pointers[try $0.int("place")] }
        let isAboutActor = try rows[0].text("reason") == "actor"
        throw isAboutActor ? Problem.wrongActor(refused) : Problem.statementConflict(refused)
    }
}

extension Statement {
    /// Keeps statements until a worker stores what they report. Returns no row, or a row for each that was refused;
    /// then none is kept.
    static func takeStatements(_ statements: JSONDocument) -> Statement {
        "select place, reason from school.take_statements(\(statements))"
    }
}

extension Problem {
    /// What is wrong with statements; xAPI wants a 400 for all of it (1.0.3 part 3 section 3.2).
    static func invalidStatements(_ errors: [Invalid]) -> Problem {
        let first = errors.first.map { error in
            error.pointer.isEmpty ? error.detail : "\(error.pointer.dropFirst()): \(error.detail)"
        }
        return Problem(
            400, "invalid_statement", "A statement is wrong.", detail: first, errors: errors)
    }

    static let actorRule = """
        The account should have the URL of this server as its homePage, and as its name the subject that came with \
        your token.
        """

    fileprivate static func wrongActor(_ pointers: [String]) -> Problem {
        invalidStatements(
            pointers.prefix(20).map {
                Invalid(pointer: "\($0)/actor/account/name", code: "wrong_actor", detail: actorRule)
            })
    }

    fileprivate static func statementConflict(_ pointers: [String]) -> Problem {
        Problem(
            409, "statement_conflict", "Another statement has this id.",
            detail: "Nothing was taken. Give each statement an id of its own.",
            errors: pointers.prefix(20).map {
                Invalid(
                    pointer: "\($0)/id", code: "statement_conflict",
                    detail: "A statement with other content has this id.")
            })
    }

    static let unsupportedVersion = Problem(
        400, "unsupported_xapi_version", "X-Experience-API-Version is missing or not supported.",
        detail: "Send X-Experience-API-Version: 1.0.3, or 2.0.0.")

    static let attachmentsAreNotKept = Problem(
        415, "unsupported_media_type", "The body should be JSON.",
        detail: "Attachments are not kept. Send statements with Content-Type: application/json.",
        headers: [ResponseField("Accept", "application/json")])
}
