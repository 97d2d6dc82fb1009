import API
import HTTPServer
import Postgres
import School
import Values

extension Handouts {
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

    func change(
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
