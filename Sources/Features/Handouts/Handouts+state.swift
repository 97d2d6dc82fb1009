import API
import HTTPServer
import Postgres
import School
import Values

extension Handouts {
    /// Publishes now or at a later time, which can be changed until then. The answer contains hints about the
    /// handout.
    func publish(_ request: Request, caller: Caller) async throws -> Response {
        let moment = try await request.bodyIfAny().timestamp("publishAt")
        return try await database.transaction(as: caller) { session in
            let held = try await hold(request, session, caller)
            if held.isPublished { throw Problem.handoutPublished }
            if held.taskCount == 0 { throw Problem.handoutEmpty }
            try await session.query(.publish(held.id, at: moment, of: caller.organizationID))
            let rows = try await session.query(
                .postedHandout(
                    held.id, of: caller.organizationID, languages: request.languages))
            return try Response.object(rows).worded(for: request, rows)
        }
    }

    /// Completing it again keeps the first time, so the call may be repeated.
    func complete(_ request: Request, caller: Caller) async throws -> Response {
        try await change(request, caller) { handout in
            guard handout.isPublished else { throw Problem.handoutNotPublished }
            return .complete(handout.id, of: caller.organizationID)
        }
    }

    func lock(_ request: Request, caller: Caller) async throws -> Response {
        try await change(request, caller) { handout in
            guard handout.isPublished else { throw Problem.handoutNotPublished }
            if handout.isCompleted { throw Problem.handoutCompleted }
            return .lock(handout.id, of: caller.organizationID)
        }
    }

    func unlock(_ request: Request, caller: Caller) async throws -> Response {
        try await change(request, caller) { .unlock($0.id, of: caller.organizationID) }
    }

    /// Removes a completed handout from the lists; its report stays.
    func archive(_ request: Request, caller: Caller) async throws -> Response {
        try await change(request, caller) { handout in
            guard handout.isCompleted else { throw Problem.handoutNotCompleted }
            return .archive(handout.id, of: caller.organizationID)
        }
    }

    func unarchive(_ request: Request, caller: Caller) async throws -> Response {
        try await change(request, caller) { .unarchive($0.id, of: caller.organizationID) }
    }

    private func change(
        _ request: Request, _ caller: Caller, _ decide: (HeldHandout) throws -> Statement
    ) async throws -> Response {
        try await database.transaction(as: caller) { session in
            let held = try await hold(request, session, caller)
            try await session.query(decide(held))
            let rows = try await session.query(
                .handout(held.id, of: caller.organizationID, languages: request.languages))
            return try Response.object(rows).worded(for: request, rows)
        }
    }
}
