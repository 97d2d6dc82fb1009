import Postgres
import School
import Values

/// A revision of an organization's roster, and the snapshot in which it can be read.
struct KeptRoster: Sendable {
    let revision: String
    let snapshot: SnapshotName
    /// At which moment the roster had that revision.
    let takenAt: Timestamp
}

/// How the next page of a traversal is to be read, as the database says in the present.
struct TraversalState: Sendable {
    /// The revision that the traversal is of; `nil` if none is known.
    let wanted: String?
    /// That of the roster now.
    let present: String
    /// Where the wanted one is kept.
    let kept: KeptRoster?
}

/// What names a traversal, beside the account that makes it: the digest of path, filter and order.
struct TraversalName: Sendable {
    /// For callers without a service account.
    let token: String
    let request: [UInt8]
}

/// How the feature asks about traversals. All of it runs in the present, on the primary, in the name of the caller.
struct TraversalStatements: Sendable {
    let database: Database

    /// Notes in which revision the caller reads from now on; returns where that is kept, unless it is by an old snapshot.
    func begin(
        _ name: TraversalName, at revision: String, _ caller: Caller
    ) async throws -> KeptRoster? {
        let rows = try await database.patientQuery(
            """
            select snapshot, taken_at
              from school.begin_traversal(\(name.token), \(name.request), \(revision))
            """, as: caller.onPrimary)
        return try rows.first.flatMap { try Self.kept($0, at: revision) }
    }

    /// - Parameter revision: the one that the client names; `nil` for the one that it began with.
    func state(
        of name: TraversalName, naming revision: String?, _ caller: Caller
    ) async throws -> TraversalState {
        let rows = try await database.patientQuery(
            """
            select wanted, present, snapshot, taken_at
              from school.traversal_state(\(name.token), \(name.request), \(revision))
            """, as: caller.onPrimary)
        let wanted = try rows[0].optionalText("wanted")
        return TraversalState(
            wanted: wanted, present: try rows[0].text("present"),
            kept: try wanted.flatMap { try Self.kept(rows[0], at: $0) })
    }

    /// Whether a revision may still be read where it was: nobody was erased since, and the schema is the same.
    func isKept(_ kept: KeptRoster, _ caller: Caller) async throws -> Bool {
        let rows = try await database.patientQuery(
            "select snapshot from school.kept_roster(\(kept.revision))", as: caller.onPrimary)
        return try rows.first?.text("snapshot") == kept.snapshot.text
    }

    func forget(_ kept: KeptRoster, _ caller: Caller) async throws {
        _ = try await database.patientQuery(
            "select school.lose_roster(\(kept.revision), \(kept.snapshot.text))",
            as: caller.onPrimary)
    }

    /// Looks which revision of the caller's roster a snapshot shows, and notes that it is kept there.
    ///
    /// - Parameter revision: the only one that is of use; `nil` for any.
    /// - Returns: `nil` if the snapshot is gone, or shows another revision.
    func keep(
        _ revision: String?, in snapshot: SnapshotName, takenAt: Timestamp, _ caller: Caller
    ) async throws -> KeptRoster? {
        let found = try await database.longQuery(
            "select revision, erasures, schema_sha256 from school.roster_state(\(takenAt))",
            as: caller, in: snapshot)
        guard let row = found?.first else { return nil }
        let state = try SnapshotState(row)
        guard revision == nil || revision == state.revision else { return nil }
        _ = try await database.patientQuery(
            """
            select school.keep_roster(
                       \(state.revision), \(snapshot.text), \(takenAt), \(state.erasures), \(state.schema))
            """, as: caller.onPrimary)
        return KeptRoster(revision: state.revision, snapshot: snapshot, takenAt: takenAt)
    }

    private static func kept(_ row: Row, at revision: String) throws -> KeptRoster? {
        guard let snapshot = try row.optionalText("snapshot").flatMap({ SnapshotName($0) })
        else { return nil }
        return KeptRoster(
            revision: revision, snapshot: snapshot, takenAt: try row.timestamp("taken_at"))
    }
}

/// What a snapshot shows of an organization.
private struct SnapshotState {
    let revision: String
    let erasures: Int
    let schema: [UInt8]

    init(_ row: Row) throws {
        revision = try row.text("revision")
        erasures = try row.int("erasures")
        schema = try row.bytes("schema_sha256")
    }
}
