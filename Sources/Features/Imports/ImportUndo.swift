import API
import Contract
import HTTPServer
import HTTPWire
import JSONBytes
import Postgres
import School

extension Imports {
    var undoEndpoints: [Endpoint] {
        [
            Endpoint(
                ImportCalls.undo.method, ImportCalls.undo.path, "Undo an import that was applied",
                for: [.administrator],
                query: [
                    .optional(
                        ImportUndoQuery.dryRun, .word(["true", "false"]),
                        "true only says what it would do, or what prevents it.")
                ],
                answers: [
                    .of(ImportCalls.undo, "What is put back, or what prevents it.")
                ],
                problems: [
                    (
                        409,
                        "Something was built on the import since (`import_built_on`), it changed nothing "
                            + "(`import_not_applied`), it is undone already (`import_undone`), what it replaced is not kept "
                            + "(`import_not_kept`), or another import is under way (`imports_under_way`)."
                    )
                ], cost: 20, handler: undo)
        ]
    }

    /// Puts back what an import replaced, all or nothing, within thirty days.
    private func undo(_ request: Request, caller: Caller) async throws -> Response {
        let importID: ImportID = try request.id("id")
        let isDry = request.query(ImportUndoQuery.dryRun) == "true"
        // A district may take minutes.
        request.http.setDeadline(secondsFromNow: 600)
        let rows = try await database.transaction(as: caller) { session in
            try await session.query("set local statement_timeout = '10min'")
            return try await session.query(
                """
                select outcome, kind, what, found, example from school.undo_own_import(\(importID), \(isDry))
                """)
        }
        switch try rows[0].text("outcome") {
        case "unknown": throw Problem.notFound
        case "notApplied": throw Problem.importNotApplied
        case "alreadyUndone": throw Problem.importUndone
        case "underWay": throw Problem.otherImportUnderWay
        case "notKept": throw Problem.importNotKept
        case "blocked":
            guard isDry else { throw Problem.importBuiltOn }
            return .json(try undoing(rows, isUndone: false, isBlocked: true))
        default: return .json(try undoing(rows, isUndone: !isDry, isBlocked: false))
        }
    }

    private func undoing(_ rows: Rows, isUndone: Bool, isBlocked: Bool) throws -> JSONValue {
        let found = try rows.map { row in
            (
                kind: UndoneKind(rawValue: try row.text("kind")), what: try row.text("what"),
                count: try row.int("found"), example: try row.optionalText("example")
            )
        }
        return Document<ImportUndoing> {
            $0.undone = isUndone
            $0.rows =
                isBlocked
                ? []
                : found.map { part in
                    Document {
                        $0.kind = part.kind
                        $0.change = RowChange(rawValue: part.what)
                        $0.count = part.count
                    }
                }
            $0.obstacles =
                !isBlocked
                ? []
                : found.map { part in
                    Document {
                        $0.kind = part.kind
                        $0.reason = part.what
                        $0.count = part.count
                        $0.example = part.example
                    }
                }
        }.json
    }
}
