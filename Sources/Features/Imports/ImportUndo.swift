import API
import HTTPServer
import HTTPWire
import JSONBytes
import Postgres
import School

extension Imports {
    var undoEndpoints: [Endpoint] {
        [
            Endpoint(
                .post, "/v1/imports/{id}/undo", "Undo an import that was applied",
                for: [.administrator],
                query: [
                    .optional(
                        "dryRun", .word(["true", "false"]),
                        "true only says what it would do, or what prevents it.")
                ],
                answers: [
                    .json("What is put back, or what prevents it.", .object(.importUndoing))
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
        let isDry = request.query("dryRun") == "true"
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
        let parts = try rows.map { row -> JSONValue in
            var part = JSONObject([
                ("kind", .text(try row.text("kind"))),
                (isBlocked ? "reason" : "change", .text(try row.text("what"))),
                ("count", JSONValue(integerLiteral: Int64(try row.int("found")))),
            ])
            if isBlocked {
                part["example"] = try row.optionalText("example").map { .text($0) } ?? .null
            }
            return .object(part)
        }
        return [
            "undone": .bool(isUndone), "rows": .array(isBlocked ? [] : parts),
            "obstacles": .array(isBlocked ? parts : []),
        ]
    }
}

extension ObjectShape {
    private static let kinds = Shape.word([
        "location", "term", "person", "role", "course", "class", "seat",
    ])

    fileprivate static let importUndoing = ObjectShape(
        "ImportUndoing",
        [
            .required("undone", .boolean, "false if it was a dry run."),
            .required(
                "rows",
                .array(
                    .fields(
                        "UndoneRows",
                        [
                            .required("kind", kinds),
                            .required(
                                "change", .word(ImportChange.allCases.map(\.rawValue)),
                                "What the import did to them. Removed people are among the changed."
                            ),
                            .required("count", .integer(1...Int.max)),
                        ]), count: 0...21), "What is put back."),
            .required(
                "obstacles",
                .array(
                    .fields(
                        "UndoObstacle",
                        [
                            .required("kind", kinds),
                            .required(
                                "reason", .text(1...100),
                                "changed: no longer as the import left it. work: used for work since. Otherwise what refers "
                                    + "to it."),
                            .required("count", .integer(1...Int.max)),
                            .orNull("example", .text(1...100), "The id of one."),
                        ]), count: 0...500),
                "What prevents it; only in a dry run, as the call is refused otherwise."),
        ])
}
