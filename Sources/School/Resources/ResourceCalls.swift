import Crypto
import HTTPServer
import HTTPWire
import JSONBytes
import Postgres
import Values

/// The calls of a resource.
struct ResourceCalls<Entity: ResourceEntity>: Sendable {
    let resource: Resource<Entity>
    let database: Database

    // MARK: Reading

    func list(_ request: Request, _ caller: Caller) async throws -> Response {
        let page = try request.page()
        let after = try page.afterID()
        let conditions = resource.filters.compactMap {
            $0.condition(request, caller.organizationID)
        }
        let statement = resource.list(
            of: caller.organizationID, conditions, after: after, limit: page.limitPlusOne)
        let rows = try await database.page(statement, page, as: caller)
        return try page.response(rows, request: request)
    }

    func find(_ request: Request, _ caller: Caller) async throws -> Response {
        let rows = try await database.query(
            resource.find(try reference(request), of: caller.organizationID), as: caller)
        return try .object(rows)
    }

    /// What the path names; a resource without source ids is named by Homeroom's ids only.
    private func reference(_ request: Request) throws -> Reference<Entity> {
        if resource.isReferable { return try request.reference("id") }
        return .id(try request.id("id"))
    }

    // MARK: Writing

    /// Makes a new one.
    func create(_ request: Request, _ caller: Caller) async throws -> Response {
        let (id, rows) = try await created(request, caller)
        return try .object(rows, status: 201).located(at: "\(request.endpoint.path)/\(id.uuid)")
    }

    func created(
        _ request: Request, _ caller: Caller, _ complete: (inout Draft<Entity>) -> Void = { _ in }
    ) async throws -> (ID<Entity>, Rows) {
        let body = try await request.body()
        return try await database.transaction(as: caller) { session in
            var draft = try Draft<Entity>(
                body, id: ID(.v7()), present: nil, columns: resource.columns)
            complete(&draft)
            return (draft.id, try await write(draft, session, caller))
        }
    }

    /// Creates or replaces what the path names: 201 or 200 for `source:ID`, 404 for an unknown UUID.
    ///
    /// If two calls create the same record at once, the unique constraint lets one win, and the other replaces.
    func replace(_ request: Request, _ caller: Caller) async throws -> Response {
        try await resource.rules.before(request, caller, database)
        let reference = try reference(request)
        let body = try await request.body()
        var attempts = 0
        while true {
            attempts += 1
            do {
                return try await replaceOnce(reference, body, request, caller)
            } catch let error as PostgresError
                where error.constraint == "\(Entity.table.text)_source_id_is_unique"
                && reference.source != nil && attempts < 4
            {
                continue
            }
        }
    }

    private func replaceOnce(
        _ reference: Reference<Entity>, _ body: Fields, _ request: Request, _ caller: Caller
    ) async throws -> Response {
        try await database.transaction(as: caller) { session in
            let present = try await session.query(
                resource.lock(reference, of: caller.organizationID)
            ).first
            if let present {
                try request.checkMatch(version: try present.int("version"))
            } else {
                guard reference.source != nil else { throw Problem.notFound }
                if request.http.headers["if-match"] != nil { throw Problem.preconditionFailed }
            }
            let draft = try Draft<Entity>(
                body, path: request.path("id"), id: ID(try present?.uuid("id") ?? .v7()),
                present: present, columns: resource.columns)
            let rows = try await write(draft, session, caller)
            return try .object(rows, status: present == nil ? 201 : 200)
        }
    }

    /// Changes the fields in the body and leaves the rest.
    func change(_ request: Request, _ caller: Caller) async throws -> Response {
        try await resource.rules.before(request, caller, database)
        let reference = try reference(request)
        let change = try await request.body()
        return try await database.transaction(as: caller) { session in
            let present = try await lock(reference, request, session, caller)
            let draft = try Draft<Entity>(
                change: change, of: ID(try present.uuid("id")), present: present,
                columns: resource.columns)
            return try .object(try await write(draft, session, caller))
        }
    }

    func changed(
        _ request: Request, _ caller: Caller, _ statements: (ID<Entity>) -> [Statement]
    ) async throws -> Rows {
        let reference = try reference(request)
        return try await database.transaction(as: caller) { session in
            let id = ID<Entity>(try await lock(reference, request, session, caller).uuid("id"))
            _ = try await session.query(statements(id))
            return try await session.query(resource.find(.id(id), of: caller.organizationID))
        }
    }

    private func lock(
        _ reference: Reference<Entity>, _ request: Request, _ session: Session, _ caller: Caller
    ) async throws -> Row {
        let found = try await session.query(resource.lock(reference, of: caller.organizationID))
        guard let row = found.first else { throw Problem.notFound }
        try request.checkMatch(version: try row.int("version"))
        return row
    }

    /// Writes a draft and reads the row back.
    private func write(
        _ draft: Draft<Entity>, _ session: Session, _ caller: Caller
    ) async throws -> Rows {
        let organization = caller.organizationID
        var draft = draft
        try resource.rules.validate(draft)
        try await resolve(&draft, session, caller)
        try await resource.rules.check(&draft, session, caller)
        let writing =
            draft.present == nil
            ? resource.insert(draft, to: organization) : resource.update(draft, of: organization)
        let reading = resource.find(.id(draft.id), of: organization)
        guard let complete = resource.rules.complete else {
            return try await session.query([writing, reading])[1]
        }
        try await session.query(writing)
        try await complete(draft, session, caller)
        return try await session.query(reading)
    }

    /// Finds the ids of the references in a body.
    private func resolve(
        _ draft: inout Draft<Entity>, _ session: Session, _ caller: Caller
    ) async throws {
        let unresolved = draft.unresolved
        guard !unresolved.isEmpty else { return }
        let results = try await session.query(
            unresolved.map {
                .resolve(
                    [$0.reference.id?.uuid], [$0.reference.source], among: $0.table,
                    of: caller.organizationID)
            })
        var wrong: [Problem.Invalid] = []
        for (reference, rows) in zip(unresolved, results) {
            if let id = try rows[0].optionalUUID("id") {
                draft.resolve(reference.position, to: id)
            } else {
                wrong += Problem.unknownReference(reference.pointer).errors
            }
        }
        guard wrong.isEmpty else { throw Problem.invalid(wrong) }
    }

    // MARK: Removing

    /// Removes the row that the path names, unless something refers to it.
    func remove(_ request: Request, _ caller: Caller) async throws -> Response {
        try await resource.rules.before(request, caller, database)
        let reference = try reference(request)
        let subject = Entity.table.text
        do {
            return try await database.transaction(as: caller) { session in
                let row = try await lock(reference, request, session, caller)
                let id = ID<Entity>(try row.uuid("id"))
                try await checkUnused(id, session, caller)
                let removing =
                    resource.rules.remove?(id, caller.organizationID)
                    ?? resource.delete(id, of: caller.organizationID)
                _ = try await session.query([removing] + resource.rules.removed(id))
                return .noContent
            }
        } catch let error as PostgresError where error.sqlState == "23503" {
            // The reference was created in the meantime, or belongs to another part of the service.
            throw Problem.inUse(subject, [])
        }
    }

    private func checkUnused(
        _ id: ID<Entity>, _ session: Session, _ caller: Caller
    ) async throws {
        guard let dependents = resource.rules.dependents else { return }
        let counts = try await session.query(dependents(id, caller.organizationID))
        let present = try counts.columns.compactMap { column -> String? in
            let count = try counts[0].int(column)
            return count == 0 ? nil : "\(count) \(column)"
        }
        guard present.isEmpty else { throw Problem.inUse(Entity.table.text, present) }
    }
}
