import HTTPServer
import Postgres
import School
import Values

extension Handouts {
    /// Publishes now, or from a moment on; what is scheduled can be moved until it is published.
    func publish(_ request: Request, caller: Caller) async throws -> Response {
        let moment = try await request.bodyIfAny().timestamp("publishAt")
        return try await change(request, caller) { handout, session in
            if handout.isPublished { throw Problem.handoutPublished }
            if !handout.hasMoment {
                try await checkRoom(in: handout.classID, session, caller)
            }
            return .publish(handout.id, at: moment, of: caller.organizationID)
        }
    }

    /// Completing twice keeps the first moment, so the call may be repeated.
    func complete(_ request: Request, caller: Caller) async throws -> Response {
        try await change(request, caller) { handout, _ in
            guard handout.isPublished else { throw Problem.handoutNotPublished }
            return .complete(handout.id, of: caller.organizationID)
        }
    }

    func lock(_ request: Request, caller: Caller) async throws -> Response {
        try await change(request, caller) { handout, _ in
            guard handout.isPublished else { throw Problem.handoutNotPublished }
            if handout.isCompleted { throw Problem.handoutCompleted }
            return .lock(handout.id, of: caller.organizationID)
        }
    }

    func unlock(_ request: Request, caller: Caller) async throws -> Response {
        try await change(request, caller) { handout, _ in
            .unlock(handout.id, of: caller.organizationID)
        }
    }

    /// A handout while it is held for a change.
    struct Held: Sendable {
        let id: HandoutID
        let classID: UUID
        let hasMoment: Bool
        let isPublished: Bool
        let isCompleted: Bool
    }

    private func change(
        _ request: Request, _ caller: Caller,
        _ decide: (Held, Session) async throws -> Statement
    ) async throws -> Response {
        let id: HandoutID = try request.id("id")
        return try await database.transaction(as: caller) { session in
            let rows = try await session.query(.lockHandout(id, of: caller.organizationID))
            guard let row = rows.first else { throw Problem.notFound }
            try request.checkMatch(version: try row.int("version"))
            let handout = Held(
                id: id, classID: try row.uuid("class_id"),
                hasMoment: try row.bool("has_moment"), isPublished: try row.bool("is_published"),
                isCompleted: try row.bool("is_completed"))
            _ = try await session.query(decide(handout, session))
            return try .object(
                await session.query(.handout(id, of: caller.organizationID)))
        }
    }
}
