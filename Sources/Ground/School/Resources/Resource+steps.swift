import API
import Postgres

/// For calls that a feature implements itself, because they answer with more than the row, or change what no body
/// sets.
extension Resource {
    /// Creates a row from the body of the request and reads it back.
    ///
    /// - Parameter complete: sets columns that bodies do not set; may refuse the body.
    package func create(
        _ request: Request, _ caller: Caller, in database: Database,
        _ complete: (inout Draft<Entity>) throws -> Void
    ) async throws -> (id: Entity.Key, rows: Rows) {
        try await ResourceCalls(resource: self, database: database)
            .created(request, caller, complete)
    }

    /// Runs statements on the row that the path names, and reads it back. Throws 404 if there is no such row, and 412
    /// if it changed since the client read it.
    package func change(
        _ request: Request, _ caller: Caller, in database: Database,
        _ statements: (Entity.Key) -> [Statement]
    ) async throws -> Rows {
        try await ResourceCalls(resource: self, database: database)
            .changed(request, caller, statements)
    }
}
