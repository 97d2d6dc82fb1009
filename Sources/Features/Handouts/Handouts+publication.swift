import API
import HTTPServer
import HTTPWire
import Postgres
import School
import Values

/// When students see a handout, and when their work on it is over.
extension Handouts {
    var publicationEndpoints: [Endpoint] {
        let handout = Endpoint.Answer.json("The handout.", .object(HandoutShapes.handout)).tagged
            .negotiated
        let stale = [(status: 412, meaning: "It changed since you read it.")]
        let publication = Endpoint(
            .put, "/v1/handouts/{id}/publication", "Publish a handout, now or later",
            description: """
                From publication on, students see it and their progress on its tasks is recorded. Until then, a \
                repeated call sets another time; a published handout stays as it is.
                """,
            for: [.teacher],
            body: .jsonIfAny(.object(HandoutShapes.publication)), answers: [handout],
            problems: stale + [
                (
                    409,
                    "The handout has no tasks, is published and `publishAt` is given, or the class has 200 active handouts."
                )
            ],
            handler: publish)
        let completion = Endpoint(
            .put, "/v1/handouts/{id}/completion", "Complete a handout; this cannot be undone",
            description: """
                Nothing more is recorded, and students no longer mark their work. The report stays, and you \
                can still return work.
                """, for: [.teacher],
            answers: [handout], problems: stale + [(409, "The handout is not published yet.")],
            handler: complete)
        return [
            publication, publication.formerly(.post, publication.path),
            Endpoint(
                .delete, publication.path, "Take a publication back: the handout is a draft again",
                description: "Its author can do so until a student has begun it.",
                for: [.teacher], answers: [handout],
                problems: stale + [
                    (403, "A colleague's handout cannot become a draft."),
                    (409, "A student has begun the handout, or it is completed."),
                ], handler: unpublish),
            completion, completion.formerly(.post, completion.path),
        ]
    }

    /// Publishes now or at a later time, which can be changed until then. The answer contains hints about the
    /// handout.
    func publish(_ request: Request, caller: Caller) async throws -> Response {
        let moment = try await request.bodyIfAny().timestamp("publishAt")
        return try await database.transaction(as: caller) { session in
            let held = try await hold(request, session, caller)
            if held.isPublished, moment != nil { throw Problem.handoutPublished }
            if held.taskCount == 0 { throw Problem.handoutEmpty }
            if !held.isPublished {
                try await session.query(.publish(held.id, at: moment, of: caller.organizationID))
            }
            let rows = try await session.query(
                .postedHandout(
                    held.id, of: caller.organizationID, languages: request.languages))
            return try Response.object(rows).worded(for: request, rows)
        }
    }

    /// Whether a student has begun it, PostgreSQL looks.
    func unpublish(_ request: Request, caller: Caller) async throws -> Response {
        try await change(request, caller) { handout in
            if handout.isCompleted { throw Problem.handoutCompleted }
            if handout.publishAt != nil, handout.authorID != caller.personID?.uuid {
                throw Problem.onlyAuthorsDraft
            }
            return .unpublish(handout.id, of: caller.organizationID)
        }
    }

    /// Completing it again keeps the first time, so the call may be repeated.
    func complete(_ request: Request, caller: Caller) async throws -> Response {
        try await change(request, caller) { handout in
            guard handout.isPublished else { throw Problem.handoutNotPublished }
            return .complete(handout.id, of: caller.organizationID)
        }
    }
}
