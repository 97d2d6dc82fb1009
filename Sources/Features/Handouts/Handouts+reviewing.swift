import API
import HTTPServer
import HTTPWire
import Postgres
import School
import Values

/// What a teacher has looked at, and giving back the work of several students at once.
///
/// A review is the teacher's own: neither students nor colleagues learn of it. That a teacher read the work is noted
/// by the calls that show it.
extension Handouts {
    var reviewEndpoints: [Endpoint] {
        let path = "/v1/handouts/{id}/reviewed"
        return [
            Endpoint(
                .get, path, "List what you have looked at of students' work",
                description:
                    "Your own marks alone. What a student did again since is still to review, for 7 days.",
                for: [.teacher], query: Endpoint.Parameter.page,
                answers: [.page("The marks.", of: Self.review)], handler: listReviews),
            Endpoint(
                .put, path, "Mark students' work as looked at, without giving it back",
                description: """
                    It leaves your list of what is to review, and comes back when a student does more. Students \
                    and colleagues do not see it. Say what you were shown with `work` or `digest`: what was stored \
                    after you read it then stays to review.
                    """,
                for: [.teacher], body: .jsonIfAny(.object(Self.newReview)),
                answers: [.json("How many students it was new for.", .object(Self.reviewed))],
                problems: [
                    (
                        409,
                        "The handout is not published yet, or something else was done than `digest` stands for."
                    )
                ], handler: review),
            Endpoint(
                .delete, path, "Take your last marking as looked at back", for: [.teacher],
                answers: [
                    .json("How many students it was taken back for.", .object(Self.reviewed))
                ], handler: takeReviewBack),
            Endpoint(
                .post, "/v1/handouts/{id}/returns",
                "Return the work of several students, with a note or to try again",
                description: """
                    Each task that they have done, and that nobody returned since; the same note for all. It can \
                    be undone student by student. It costs one more for every ten of them.
                    """,
                for: [.teacher], body: .json(.object(Self.newReturns)),
                answers: [.json("Whose work was returned.", .object(Self.returned))],
                problems: [
                    (
                        409,
                        "The handout is not published yet, or is completed and `tryAgain` is true."
                    )
                ], handler: giveAllBack),
        ]
    }

    func listReviews(_ request: Request, caller: Caller) async throws -> Response {
        let id: HandoutID = try request.id("id")
        let page = try request.page()
        let found = try await database.query(.seen(id, of: caller.organizationID), as: caller)
        guard !found.isEmpty else { throw Problem.notFound }
        let statement = Statement.reviews(
            of: id, by: caller, after: try ReviewPosition(page), limit: page.limitPlusOne)
        return try page.response(
            try await database.query(page.of(statement), as: caller),
            key: { [try $0.uuid("person_id").description, try $0.uuid("task_id").description] },
            request: request)
    }

    func review(_ request: Request, caller: Caller) async throws -> Response {
        let id: HandoutID = try request.id("id")
        let body = try await request.bodyIfAny()
        return try await change(id, caller) {
            .markReviewed(
                id, people: body.texts("personIds")?.compactMap { UUID($0) },
                until: body.timestamp("until"), work: ShownWork(body), digest: body.text("digest"))
        }
    }

    func takeReviewBack(_ request: Request, caller: Caller) async throws -> Response {
        let id: HandoutID = try request.id("id")
        return try await change(id, caller) { .takeReviewsBack(id) }
    }

    func giveAllBack(_ request: Request, caller: Caller) async throws -> Response {
        let id: HandoutID = try request.id("id")
        let body = try await request.body()
        let isToTryAgain = body.boolean("tryAgain") ?? false
        let people = body.texts("personIds")?.compactMap { UUID($0) } ?? []
        let tasks = body.texts("taskIds")?.compactMap { UUID($0) }
        return try await database.transaction(as: caller) { session in
            let held = try await holdForReturn(
                request, session, caller, isToTryAgain: isToTryAgain)
            try request.pay(items: people.count * (tasks?.count ?? held.taskCount))
            return try .object(
                await session.query(
                    .returnWork(
                        id, tasks: tasks, people: people, note: body.text("note"),
                        isToTryAgain: isToTryAgain, until: body.timestamp("until"),
                        work: ShownWork(body), isMarking: body.boolean("marks") ?? false)))
        }
    }

    private func change(
        _ id: HandoutID, _ caller: Caller, _ statement: () -> Statement
    ) async throws -> Response {
        try await database.transaction(as: caller) { session in
            let found = try await session.query(.seen(id, of: caller.organizationID))
            guard let handout = found.first else { throw Problem.notFound }
            guard try handout.bool("is_published") else { throw Problem.handoutNotPublished }
            let rows = try await session.query(statement())
            if try rows[0].isNull("students") { throw Problem.workChanged }
            return try .object(rows)
        }
    }
}

// MARK: Shapes

extension Handouts {
    private static let review = ObjectShape(
        "Review", work + [.required("reviewedAt", .timestamp, "When you looked at it.")])

    private static let work: [Field] = [
        .required("personId", .uuid, "The student."), .required("taskId", .uuid),
        .required("doneAt", .timestamp, "When the student had done it, as the report says."),
    ]

    private static let shown: [Field] = [
        .optional(
            "until", .timestamp,
            "What was done later stays to review: the time of the report that you looked at. Now when absent."
        ),
        .optional(
            "work", .array(.fields("ShownWork", work), count: 0...20_000),
            "What you were shown. Anything else stays to review, whenever it was done. All of it when absent, nothing when empty."
        ),
    ]

    private static let newReview = ObjectShape(
        "NewReview",
        [
            .optional(
                "personIds", .array(.uuid, count: 1...1000), "Everybody's work when absent.")
        ] + shown + [
            .optional(
                "digest", .text(32...32),
                "`workDigest` of the overview that you looked at, with its time as `until`.")
        ])

    private static let newReturns = ObjectShape(
        "NewReturns",
        [
            .required("personIds", .array(.uuid, count: 1...1000), "Whose work is returned."),
            .optional(
                "taskIds", .array(.uuid, count: 1...20), "Every task of the handout when absent."),
            .optional("note", .text(1...4000, lines: true), "A note that each of them reads."),
            .optional(
                "tryAgain", .boolean,
                "Whether they should try again, which removes the mark done; false when absent."),
            .optional(
                "marks", .boolean,
                "Whether the marks that you drafted for them are given, too, also where no work is returned; false when absent."
            ),
        ] + shown)

    private static let returned = ObjectShape(
        "ReturnedStudents",
        reviewed.fields + [
            .required("marks", .integer(0...100_000), "How many marks were given."),
            .required(
                "marksKept", .integer(0...100_000),
                "How many stay drafts: they do not fit any more, the student does not have the handout, or another mark was given since."
            ),
        ])

    private static let reviewed = ObjectShape(
        "ReviewedWork", [.required("students", .integer(0...100_000), "How many students.")])
}

extension Problem {
    fileprivate static let workChanged = Problem(
        409, "work_changed", "Something else was done than you were shown.",
        detail: "Nothing was marked. Read the overview again.")
}
