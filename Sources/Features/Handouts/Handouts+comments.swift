import API
import Crypto
import HTTPServer
import HTTPWire
import Postgres
import School
import Values

/// What a student and the teachers of the class write to each other about a handout.
///
/// `SQL/policies/comments.sql` decides who may read and write: the student, and those who teach the class now.
extension Handouts {
    var commentEndpoints: [Endpoint] {
        let path = "/v1/handouts/{id}/students/{personId}/comments"
        let archived = [(status: 409, meaning: "The class is archived.")]
        return [
            Endpoint(
                .get, "/v1/handouts/{id}/comments", "List with whom you talk about a handout",
                description: "How much there is of each student, without the texts.",
                for: [.teacher], query: Endpoint.Parameter.page,
                answers: [.page("The students.", of: CommentShapes.conversation)],
                handler: listConversations),
            Endpoint(
                .get, path, "List what a student and teachers wrote about a handout",
                description: """
                    The oldest first. Only the student and those who teach the class now read them. A teacher's look \
                    is a viewing, which the student sees.
                    """,
                for: [.teacher, .student], query: Endpoint.Parameter.page,
                answers: [.page("The comments.", of: CommentShapes.comment)], handler: listComments),
            Endpoint(
                .post, path, "Write to a student, or to your teachers, about a handout",
                description: """
                    The student and all who teach the class read it. Students write about their own work. It marks \
                    nothing as read.
                    """,
                for: [.teacher, .student], body: .json(.object(CommentShapes.newComment)),
                answers: [.json("The comment.", .object(CommentShapes.comment), status: 201)],
                problems: [
                    (
                        409,
                        "The handout is not published yet, the class is archived, or there are 1,000 comments."
                    )
                ], handler: writeComment),
            Endpoint(
                .put, path + "/seen", "Mark the comments as read up to one of them",
                description: "What was written after that one stays new. The mark never goes back.",
                for: [.teacher, .student], body: .json(.object(CommentShapes.lastSeen)),
                answers: [.empty(204, "They are read.")],
                problems: [(422, "There is no such comment.")], handler: seeComments),
            Endpoint(
                .delete, path + "/{commentId}", "Remove a comment of your own",
                description: """
                    Its text is removed for good. That you wrote something, and when, stays for those who read it.
                    """,
                for: [.teacher, .student], answers: [.empty(204, "The text is removed.")],
                problems: archived, handler: removeComment),
        ]
    }

    func listConversations(_ request: Request, caller: Caller) async throws -> Response {
        let id: HandoutID = try request.id("id")
        let page = try request.page()
        let found = try await database.query(.seen(id, of: caller.organizationID), as: caller)
        guard !found.isEmpty else { throw Problem.notFound }
        let statement = Statement.conversations(
            at: id, caller, after: try page.afterID(), limit: page.limitPlusOne)
        return try page.response(
            try await database.query(page.of(statement), as: caller),
            key: { [try $0.uuid("person_id").description] }, request: request)
    }

    func listComments(_ request: Request, caller: Caller) async throws -> Response {
        let path = try ConversationPath(request)
        let page = try request.page()
        let found = try await database.query(.conversation(path, caller), as: caller)
        guard let student = try found.first?.uuid("person_id") else { throw Problem.notFound }
        let statement = Statement.comments(
            at: path.handout, of: student, caller, after: try page.afterID(),
            limit: page.limitPlusOne)
        let rows = try await database.query(page.of(statement), as: caller)
        if caller.standing == .teacher {
            await viewings.note(ViewedWork(of: path.person, at: path.handout), as: caller)
        }
        return try page.response(rows, request: request)
    }

    func writeComment(_ request: Request, caller: Caller) async throws -> Response {
        let path = try ConversationPath(request)
        let text = try await request.body().text("text") ?? ""
        return try await database.transaction(as: caller) { session in
            let student = try await hold(path, session, caller)
            let id = UUID.v7()
            let written = try await session.query(
                .writeComment(id, text, at: path.handout, of: student))
            guard try written[0].bool("is_written") else { throw Problem.notFound }
            return try .object(
                await session.query(
                    .comments(at: path.handout, of: student, caller, only: id, limit: 1)),
                status: 201)
        }
    }

    func seeComments(_ request: Request, caller: Caller) async throws -> Response {
        let path = try ConversationPath(request)
        let last = try await request.body().uuid("commentId")
        try await database.transaction(as: caller) { session in
            let found = try await session.query(.conversation(path, caller))
            guard let student = try found.first?.uuid("person_id") else { throw Problem.notFound }
            let seen = try await session.query(
                .seeComments(at: path.handout, of: student, until: last))
            guard try seen[0].bool("is_seen") else { throw Problem.unknownReference("/commentId") }
        }
        return .noContent
    }

    func removeComment(_ request: Request, caller: Caller) async throws -> Response {
        let path = try ConversationPath(request)
        let id: ID<CommentEntity> = try request.id("commentId")
        try await database.transaction(as: caller) { session in
            let student = try await hold(path, session, caller)
            let found = try await session.query(
                .comments(at: path.handout, of: student, caller, only: id.uuid, limit: 1))
            guard let comment = found.first else { throw Problem.notFound }
            guard try comment.bool("own") else { throw Problem.foreignComment }
            try await session.query(.removeComment(id, of: caller.organizationID))
        }
        return .noContent
    }

    /// The student of a conversation in which something is to change: 404 if the caller does not see it, 409 where
    /// nothing changes any more, or not yet.
    private func hold(
        _ path: ConversationPath, _ session: Session, _ caller: Caller
    ) async throws -> UUID {
        let found = try await session.query(.conversation(path, caller))
        guard let row = found.first else { throw Problem.notFound }
        if try row.bool("is_class_archived") { throw Problem.commentsClosed }
        guard try row.bool("is_published") else { throw Problem.handoutNotPublished }
        return try row.uuid("person_id")
    }
}

// MARK: Problems

extension Problem {
    static let tooManyComments = Problem(
        409, "too_many_comments", "There are at most 1,000 comments on a student's handout.")

    fileprivate static let commentsClosed = Problem(
        409, "class_archived", "The class is archived, so nothing more is written about its work.")

    fileprivate static let foreignComment = Problem.forbidden(
        "Only its author can remove a comment.")
}
