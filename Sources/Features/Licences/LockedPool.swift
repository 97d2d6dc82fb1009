import API
import JSONBytes
import Postgres
import School

/// The pool that a path names; both its app and its location exist.
struct PoolKey {
    let app: String
    let location: LocationID
}

/// The state of a pool while it is locked.
struct LockedPool {
    let total: Int
    let assigned: Int
    let version: Int

    var available: Int { total - assigned }
}

extension Licences {
    /// Throws 404 if the app or the location in the path does not exist.
    func poolKey(
        _ request: Request, _ session: Session, _ caller: Caller
    ) async throws -> PoolKey {
        let location: Reference<LocationEntity> = try request.reference("locationId")
        let app = request.path("adamId")
        let results = try await session.query([
            .holdableApp(app, of: caller.organizationID),
            .location(location, of: caller.organizationID),
        ])
        guard results[0].count > 0, let row = results[1].first else { throw Problem.notFound }
        return PoolKey(app: app, location: LocationID(try row.uuid("id")))
    }

    /// Locks the existing pools at the locations, in the order of the locations.
    func lockPools(
        _ locations: [LocationID], _ app: String, _ session: Session, _ caller: Caller
    ) async throws -> [LocationID: LockedPool] {
        let rows = try await session.query(
            .lockPools(of: app, at: locations, in: caller.organizationID))
        var pools: [LocationID: LockedPool] = [:]
        for row in rows {
            pools[LocationID(try row.uuid("location_id"))] = LockedPool(
                total: try Licences.totalCount.read(row), assigned: try row.int("assigned_count"),
                version: try row.int("version"))
        }
        return pools
    }
}

extension JSONValue {
    /// A number of seats or licences.
    static func count(_ count: Int) -> JSONValue { .number(JSONNumber(Int64(count))) }
}
