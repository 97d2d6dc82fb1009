import API
import HTTPServer
import HTTPWire
import Postgres
import School

extension Directory {
    /// From one term to the next: a preview says what will happen, and its revision carries it out.
    var rolloverEndpoints: [Endpoint] {
        let closed = (409, "One of the terms is closed.")
        let wrong = (
            422, "There is no such next term, it is not later, or a grade is named more than once."
        )
        return [
            Endpoint(
                .post, "/v1/terms/{id}/rollover/preview",
                "Preview the change to the next term: classes, grades, leavers",
                description:
                    "Changes nothing. To carry out the plan, send its `revision` with the same wishes.",
                for: [.administrator], query: Endpoint.Parameter.page,
                body: .json(.object(RolloverShapes.wish)),
                answers: [
                    .json(
                        "What would happen; nothing was changed. Only students who are active and have "
                            + "no other role move up or leave.", .object(RolloverShapes.preview))
                ],
                problems: [closed, wrong], keys: .ignored, cost: 5, handler: previewRollover),
            Endpoint(
                .post, "/v1/terms/{id}/rollover",
                "Carry out a change to the next term as it was previewed",
                description: """
                    Does everything in the plan, or nothing if the plan has changed since the preview. Seats in \
                    copied classes begin with the next term, or now if it has begun.
                    """,
                for: [.administrator], body: .json(.object(RolloverShapes.order)),
                answers: [
                    .json(
                        "What was done, in one transaction. The term is closed, and leavers are "
                            + "deactivated.", .object(RolloverShapes.counts))
                ],
                problems: [
                    (
                        409,
                        "One of the terms is closed, or the plan has changed since the preview "
                            + "(`rollover_changed`)."
                    ), wrong,
                ], cost: 20, handler: rollOver),
        ]
    }

    func previewRollover(_ request: Request, _ caller: Caller) async throws -> Response {
        let page = try request.page()
        let position = page.isFirst ? 0 : page.after(0).flatMap { Int($0) } ?? -1
        guard (0...10_000_000).contains(position) else { throw Problem.foreignPageToken }
        let wish = try Rollover.Wish(try await request.body())
        return try await database.transaction(as: caller) { session in
            let rollover = try await prepare(wish, request, session, caller)
            let next = page.next(after: ["\(position + page.limit)"], of: request)
            return try .object(
                try await session.query(
                    .preview(rollover, after: position, limit: page.limit, token: next.token)))
        }
    }

    func rollOver(_ request: Request, _ caller: Caller) async throws -> Response {
        let body = try await request.body()
        let wish = try Rollover.Wish(body)
        return try await database.transaction(as: caller) { session in
            let rollover = try await prepare(wish, request, session, caller)
            let rows = try await session.query(
                .rollOver(rollover, revision: body.text("revision")!))
            guard !rows.isEmpty else { throw Problem.rolloverChanged }
            return try .object(rows)
        }
    }

    private func prepare(
        _ wish: Rollover.Wish, _ request: Request, _ session: Session, _ caller: Caller
    ) async throws -> Rollover {
        _ = try await session.query(.takeTimeForRollover)
        return try await Rollover(
            wish, from: try request.reference("id"), of: caller.organizationID
        ) { statement in try await session.query(statement) }
    }
}

extension Rollover.Wish {
    /// Reads a checked body.
    init(_ body: Fields) throws {
        try self.init(
            next: body.reference("nextTermId"),
            steps: (body.objects("grades") ?? []).map {
                Rollover.Step(from: $0.text("from")!, to: $0.text("to"))
            },
            copies: body.text("copyClasses").flatMap { Rollover.Copies(rawValue: $0) } ?? .none)
    }
}

/// What the calls about rollovers receive and answer.
enum RolloverShapes {
    private static let grade = Shape.text(1...64)

    private static let wishes: [Field] = [
        .optional(
            "nextTermId", .reference, "The term that begins; needed only to copy classes into it."),
        .optional(
            "grades",
            .array(
                .fields(
                    "RolloverGrade",
                    [
                        .required("from", grade, "The grade of students now."),
                        .orNull(
                            "to", grade, "Their next grade; null for those who leave the school."),
                    ]), count: 0...100),
            "How students move up. Grades that are not listed stay as they are."),
        .optional(
            "copyClasses", .word(Rollover.Copies.allCases.map(\.rawValue)),
            "Copies classes of the term into the next one, where it has none of that name; none when "
                + "absent. Classes that teachers made are not copied."),
    ]

    static let wish = ObjectShape("RolloverWish", wishes)

    static let order = ObjectShape(
        "RolloverOrder",
        wishes + [
            .required("revision", .text(64...64), "The `revision` of the preview that you saw.")
        ])

    private static let numbers: [Field] = [
        .required("classesArchived", .integer(0...Int.max)),
        .required("classesCopied", .integer(0...Int.max)),
        .required(
            "seatsCopied", .integer(0...Int.max), "Seats of teachers and students in the copies."),
        .required("studentsMovedUp", .integer(0...Int.max)),
        .required("studentsLeaving", .integer(0...Int.max)),
    ]

    static let counts = ObjectShape("Rollover", numbers)

    static let preview = ObjectShape(
        "RolloverPreview",
        [
            .required("revision", .text(64...64), "Names the plan, for carrying it out."),
            .required("counts", .object(ObjectShape("RolloverCounts", numbers))),
            .required(
                "items", .array(.object(change), count: 0...1000),
                "A page of the changes: classes, then students, by name."),
            .orNull("nextPageToken", .text(1...2000), "Leads to the next page; null on the last."),
        ])

    private static let change = ObjectShape(
        "RolloverChange",
        [
            .required("change", .word(["archiveClass", "copyClass", "moveUp", "leave"])),
            .required("id", .uuid, "The id of the class or the person."),
            .orNull("name", .line(), "The name of the class."), .orNull("givenName", .line()),
            .orNull("familyName", .line()), .orNull("nameOrder", .nameOrder),
            .orNull("fromGrade", grade), .orNull("toGrade", grade),
            .orNull("teachers", .integer(0...Int.max), "How many teach the copy."),
            .orNull("students", .integer(0...Int.max), "How many sit in the copy."),
        ])
}
