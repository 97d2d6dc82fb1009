import API
import HTTPServer
import HTTPWire
import JSONBytes
import Postgres
import School
import Values

extension Licences {
    static let totalCount = Column<Int>(
        "total_count", LicenceShapes.count, "Seats that the location bought.")

    /// How many seats of an app a location bought.
    ///
    /// A pool is not a `Resource`: it has a place instead of an id, a single column that bodies set, and every call
    /// but the reading ones locks several pools in a fixed order.
    static let pool = AnsweredRow(
        of: "pool",
        columns: [
            Column<String>("adam_id", adamID), Column<LocationID>("location_id"), totalCount,
        ],
        computed: [
            Computed("pool.assigned_count", LicenceShapes.assignedCount),
            Computed(
                "pool.total_count - pool.assigned_count as available_count",
                LicenceShapes.availableCount),
            Computed(
                "coalesce(waiting.student_count, 0) as waiting_count", LicenceShapes.waitingCount,
                isListedOnly: true),
        ])

    var poolEndpoints: [Endpoint] {
        let path = "/v1/apps/{adamId}/pools"
        let pool = Shape.object(LicenceShapes.pool)
        let stale = (status: 412, meaning: "It changed since you read it.")
        return [
            Endpoint(
                .get, path, "List the pools of an app", for: Self.standings,
                query: Endpoint.Parameter.page,
                answers: [.page("In the order of their locations' ids.", of: LicenceShapes.pool)],
                reads: .replica, handler: listPools),
            Endpoint(
                .get, path + "/{locationId}", "Find the pool of a location", for: Self.standings,
                answers: [.json("The pool.", pool).tagged, .unchanged], handler: findPool),
            Endpoint(
                .put, path + "/{locationId}", "Set how many seats a location bought",
                for: Self.standings, body: .json(.object(LicenceShapes.newPool)),
                answers: [
                    .json("As it is now.", pool).tagged,
                    .json("The new pool.", pool, status: 201).tagged,
                ],
                problems: [
                    (409, "More licences are assigned than the pool would have seats."), stale,
                ],
                handler: putPool),
            Endpoint(
                .delete, path + "/{locationId}", "Remove a pool that has no assigned licences",
                for: Self.standings, answers: [.empty(204, "Removed.")],
                problems: [(409, "Licences of this app are assigned."), stale], handler: removePool),
            Endpoint(
                .post, path + "/{locationId}/transfer", "Move free seats to another location",
                description: "Licences that are held stay where they are.",
                for: Self.standings, body: .json(.object(LicenceShapes.newTransfer)),
                answers: [.json("Both pools.", .object(LicenceShapes.transfer))],
                problems: [(409, "Fewer seats are free."), stale], handler: transferSeats),
        ]
    }

    func listPools(_ request: Request, _ caller: Caller) async throws -> Response {
        let page = try request.page()
        let after = try page.afterID().map { LocationID($0) }
        let app = request.path("adamId")
        return try await database.read(as: caller) { session in
            let results = try await session.query([
                .holdableApp(app, of: caller.organizationID),
                page.of(
                    .pools(
                        of: app, in: caller.organizationID, after: after, limit: page.limitPlusOne)
                ),
            ])
            guard results[0].count > 0 else { throw Problem.notFound }
            return try page.response(
                results[1], key: { [try $0.uuid("location_id").description] }, request: request)
        }
    }

    func findPool(_ request: Request, _ caller: Caller) async throws -> Response {
        let location: Reference<LocationEntity> = try request.reference("locationId")
        return try .object(
            try await database.query(
                .pool(of: request.path("adamId"), at: location, in: caller.organizationID),
                as: caller))
    }

    func putPool(_ request: Request, _ caller: Caller) async throws -> Response {
        let total = try await request.body().integer("totalCount")!
        return try await database.transaction(as: caller) { session in
            let key = try await poolKey(request, session, caller)
            var now = try await lockPools([key.location], key.app, session, caller)
            if now.isEmpty {
                if request.http.headers["if-match"] != nil { throw Problem.preconditionFailed }
                let added = try await session.query(
                    .addPoolUnlessThere(
                        of: key.app, at: key.location, total, caller.organizationID))
                if added.count == 1 {
                    try await auditPool(key, session, [("totalCount", .count(total))])
                    return try await answer(key, session, caller, status: 201)
                }
                // Another call has created it since.
                now = try await lockPools([key.location], key.app, session, caller)
            }
            guard let pool = now[key.location] else { throw Problem.contended }
            try request.checkMatch(version: pool.version)
            try await change(pool, at: key, to: total, session, caller)
            return try await answer(key, session, caller, status: 200)
        }
    }

    private func change(
        _ pool: LockedPool, at key: PoolKey, to total: Int, _ session: Session,
        _ caller: Caller
    ) async throws {
        guard pool.assigned <= total else {
            throw Problem.poolTooSmall(assigned: pool.assigned, wanted: total)
        }
        guard pool.total != total else { return }
        try await session.query(
            .setTotal(total, of: key.app, at: key.location, caller.organizationID))
        try await auditPool(
            key, session,
            [("totalCount", .count(total)), ("formerCount", .count(pool.total))])
    }

    func removePool(_ request: Request, _ caller: Caller) async throws -> Response {
        try await database.transaction(as: caller) { session in
            let key = try await poolKey(request, session, caller)
            let now = try await lockPools([key.location], key.app, session, caller)
            guard let pool = now[key.location] else { throw Problem.notFound }
            try request.checkMatch(version: pool.version)
            guard pool.assigned == 0 else { throw Problem.licencesAssigned(pool.assigned) }
            try await session.query(
                .removePool(of: key.app, at: key.location, caller.organizationID))
            try await auditPool(
                key, session, [("change", "removed"), ("formerCount", .count(pool.total))])
        }
        return .noContent
    }

    /// Moves free seats. Both pools are locked in the order of their locations, so that two moves in opposite
    /// directions do not deadlock.
    func transferSeats(_ request: Request, _ caller: Caller) async throws -> Response {
        let body = try await request.body()
        let count = body.integer("count")!
        let wanted: Reference<LocationEntity> = body.reference("locationId")!
        return try await database.transaction(as: caller) { session in
            let key = try await poolKey(request, session, caller)
            let found = try await session.query(.location(wanted, of: caller.organizationID))
            guard let target = try found.first.map({ LocationID(try $0.uuid("id")) }) else {
                throw Problem.unknownReference("/locationId")
            }
            guard target != key.location else {
                throw Problem.invalid(
                    "/locationId", "same_location", "The seats are already at this location.")
            }
            try await session.query(
                .addPoolUnlessThere(of: key.app, at: target, 0, caller.organizationID))
            let now = try await lockPools(
                [key.location, target], key.app, session, caller)
            guard let pool = now[key.location] else { throw Problem.notFound }
            try request.checkMatch(version: pool.version)
            guard pool.available >= count else {
                throw Problem.tooFewLicences(
                    [(key.location.uuid.description, pool.available, count)], at: "/count")
            }
            try await session.query(
                .transfer(
                    count, of: key.app, from: key.location, to: target, caller.organizationID))
            try await auditPool(
                key, session,
                [("toLocationId", .text(target.uuid.description)), ("count", .count(count))])
            let pools = try await session.query([
                .pool(of: key.app, at: .id(key.location), in: caller.organizationID),
                .pool(of: key.app, at: .id(target), in: caller.organizationID),
            ])
            return try Self.transfer(from: pools[0], to: pools[1])
        }
    }

    private static func transfer(from: Rows, to: Rows) throws -> Response {
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("from")
        try from.writeJSON(row: 0, columns: from.shownColumns, into: &writer)
        writer.key("to")
        try to.writeJSON(row: 0, columns: to.shownColumns, into: &writer)
        writer.endObject()
        return .json(writer.bytes)
    }

    private func answer(
        _ key: PoolKey, _ session: Session, _ caller: Caller, status: Int
    ) async throws -> Response {
        let rows = try await session.query(
            .pool(of: key.app, at: .id(key.location), in: caller.organizationID))
        return try .object(rows, status: status)
    }

    private func auditPool(
        _ key: PoolKey, _ session: Session, _ details: [(String, JSONValue)]
    ) async throws {
        try await session.query(
            .audit(
                "poolChange", subjectKind: "location", subject: key.location.uuid,
                details: .object(JSONObject([("adamId", .text(key.app))] + details))))
    }
}
