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
                .get, path, "Read until when you have looked at students' work",
                description:
                    "Your own marks alone. What a student did later is still to review, for 7 days.",
                for: [.teacher], query: Endpoint.Parameter.page,
                answers: [.page("The marks.", of: Self.review)], handler: listReviews),
            Endpoint(
                .put, path, "Mark students' work as looked at, without giving it back",
                description: """
                    It leaves your list of what is to review, and comes back when a student does more. Students \
                    and colleagues do not see it.
                    """,
                for: [.teacher], body: .jsonIfAny(.object(Self.newReview)),
                answers: [.json("How many students it was new for.", .object(Self.reviewed))],
                problems: [(409, "The handout is not published yet.")], handler: review),
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
                    be undone student by student.
                    """,
                for: [.teacher], body: .json(.object(Self.newReturns)),
                answers: [.json("Whose work was returned.", .object(Self.reviewed))],
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
            of: id, by: caller, after: try page.afterID(), limit: page.limitPlusOne)
        return try page.response(
            try await database.query(page.of(statement), as: caller),
            key: { [try $0.uuid("person_id").description] }, request: request)
    }

    func review(_ request: Request, caller: Caller) async throws -> Response {
        let id: HandoutID = try request.id("id")
        let body = try await request.bodyIfAny()
        return try await change(id, caller) {
            .markReviewed(
                id, body.texts("personIds")?.compactMap { UUID($0) }, until: body.timestamp("until")
            )
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
        return try await database.transaction(as: caller) { session in
            let held = try await hold(request, session, caller)
            guard held.isPublished else { throw Problem.handoutNotPublished }
            if held.isCompleted, isToTryAgain { throw Problem.handoutCompleted }
            return try .object(
                await session.query(
                    .returnWork(
                        id, tasks: body.texts("taskIds")?.compactMap { UUID($0) },
                        people: body.texts("personIds")?.compactMap { UUID($0) } ?? [],
                        note: body.text("note"), isToTryAgain: isToTryAgain,
                        until: body.timestamp("until"))))
        }
    }

    private func change(
        _ id: HandoutID, _ caller: Caller, _ statement: () -> Statement
    ) async throws -> Response {
        try await database.transaction(as: caller) { session in
            let found = try await session.query(.seen(id, of: caller.organizationID))
            guard let handout = found.first else { throw Problem.notFound }
            guard try handout.bool("is_published") else { throw Problem.handoutNotPublished }
            return try .object(await session.query(statement()))
        }
    }
}

// MARK: Shapes

extension Handouts {
    private static let review = ObjectShape(
        "Review",
        [
            .required("personId", .uuid, "The student."),
            .required("reviewedAt", .timestamp, "What was done until then was looked at."),
        ])

    private static let until = Field.optional(
        "until", .timestamp,
        "What was done later stays to review: the time of the report that you looked at. Now when absent."
    )

    private static let newReview = ObjectShape(
        "NewReview",
        [
            .optional(
                "personIds", .array(.uuid, count: 1...1000), "Everybody's work when absent."),
            until,
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
            until,
        ])

    private static let reviewed = ObjectShape(
        "ReviewedWork", [.required("students", .integer(0...100_000), "How many students.")])
}

// MARK: Statements

extension Statement {
    fileprivate static func seen(_ id: HandoutID, of organization: OrganizationID) -> Statement {
        """
        select coalesce(publish_at <= school.moment(), false) as is_published from school.handout
         where organization_id = \(organization) and handout_id = \(id)
        """
    }

    fileprivate static func reviews(
        of id: HandoutID, by caller: Caller, after person: UUID?, limit: Int
    ) -> Statement {
        """
        select person_id, reviewed_at from school.review
         where organization_id = \(caller.organizationID) and teacher_id = \(caller.personID)
           and handout_id = \(id) and (\(person)::uuid is null or person_id > \(person))
         order by person_id
         limit \(limit)
        """
    }

    fileprivate static func markReviewed(
        _ id: HandoutID, _ people: [UUID]?, until moment: Timestamp?
    ) -> Statement {
        "select school.mark_reviewed(\(id), \(people), \(moment)) as students"
    }

    fileprivate static func takeReviewsBack(_ id: HandoutID) -> Statement {
        "select school.take_reviews_back(\(id)) as students"
    }

    fileprivate static func returnWork(
        _ id: HandoutID, tasks: [UUID]?, people: [UUID], note: String?, isToTryAgain: Bool,
        until moment: Timestamp?
    ) -> Statement {
        """
        select school.return_work(\(id), \(tasks), \(people), \(note), \(isToTryAgain), \(moment)) as students
        """
    }
}
