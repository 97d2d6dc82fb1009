import API
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
    /// Runs before rows are shown.
    var noting: Resource<Entity>.Noting?

    // MARK: Reading

    func list(_ request: Request, _ caller: Caller) async throws -> Response {
        let page = try request.page()
        let conditions = resource.filters.compactMap {
            $0.condition(request, caller.organizationID)
        }
        if request.query(Resource<Entity>.orderParameter.name) == "name" {
            return try await listByName(page, conditions, request, caller)
        }
        let after = try page.after(0).map { try Self.key($0) }
        let statement = resource.list(
            of: caller.organizationID, for: caller.standing, conditions, after: after,
            limit: page.limitPlusOne)
        let rows = try await database.page(
            statement, page, isLong: resource.isListLong, as: caller)
        if let noting, !request.isCounting {
            try await noting(Array(rows.prefix(page.limit)), caller)
        }
        return try page.response(
            rows, key: { [try Entity.Key.read($0, "id").text] }, request: request)
    }

    /// No index has this order, so that a page may have to sort all rows.
    private func listByName(
        _ page: Page, _ conditions: [Statement], _ request: Request, _ caller: Caller
    ) async throws -> Response {
        guard page.isFirst || page.after.count == 2 else { throw Problem.foreignPageToken }
        let after = try page.after(0).map { name in
            (name: name, key: try Self.key(page.after[1]))
        }
        let statement = resource.listByName(
            of: caller.organizationID, for: caller.standing, conditions, after: after,
            limit: page.limitPlusOne)
        return try page.response(
            try await database.page(statement, page, isLong: true, as: caller),
            key: { [try $0.text("name"), try Entity.Key.read($0, "id").text] }, request: request)
    }

    /// A key in a page token.
    private static func key(_ text: String) throws -> Entity.Key {
        guard let key = Entity.Key(text: text) else { throw Problem.foreignPageToken }
        return key
    }

    func find(_ request: Request, _ caller: Caller) async throws -> Response {
        let rows = try await database.query(
            resource.find(try name(request), of: caller.organizationID), as: caller)
        if let noting { try await noting(Array(rows), caller) }
        return try .object(rows)
    }

    /// What the path names.
    private func name(_ request: Request) throws -> RowName<Entity> {
        let text = request.path(resource.pathParameter)
        if resource.isReferable, let source = Reference<Never>(text)?.source {
            return .source(source)
        }
        guard let key = Entity.Key(text: text) else { throw Problem.notFound }
        return .id(key)
    }

    // MARK: Writing

    /// Makes a new one.
    func create(_ request: Request, _ caller: Caller) async throws -> Response {
        let (id, rows) = try await created(request, caller)
        return try .object(rows, status: 201)
            .located(at: "\(request.operation.path)/\(percentEncode(id.text))")
    }

    func created(
        _ request: Request, _ caller: Caller,
        _ complete: (inout Draft<Entity>) throws -> Void = { _ in }
    ) async throws -> (Entity.Key, Rows) {
        let body = try await request.body()
        let id = Entity.Key.new(resource.key.flatMap { body.text($0.field.name) })
        return try await database.transaction(as: caller) { session in
            var draft = try Draft<Entity>(
                body, id: id, present: nil, columns: resource.columns)
            try complete(&draft)
            return (draft.id, try await write(draft, session, caller))
        }
    }

    /// Creates or replaces what the path names: 201 or 200 for `source:ID` or a key that clients choose, 404 for an
    /// unknown UUID.
    ///
    /// If two calls create the same record at once, the unique constraint lets one win, and the other replaces.
    func replace(_ request: Request, _ caller: Caller) async throws -> Response {
        try await resource.rules.before(request, caller, database)
        let name = try name(request)
        let body = try await request.body()
        var attempts = 0
        while true {
            attempts += 1
            do {
                return try await replaceOnce(name, body, request, caller)
            } catch let error as PostgresError
                where error.constraint != nil && error.constraint == uniqueness(of: name)
                && attempts < 4
            {
                continue
            }
        }
    }

    /// The constraint that keeps two rows from having the same name in a `PUT` that creates; `nil` if it only
    /// replaces.
    private func uniqueness(of name: RowName<Entity>) -> String? {
        switch name {
        case .source: "\(Entity.table.text)_source_id_is_unique"
        case .id: resource.key?.repeated == nil ? nil : "\(Entity.table.text)_pkey"
        }
    }

    private func replaceOnce(
        _ name: RowName<Entity>, _ body: Fields, _ request: Request, _ caller: Caller
    ) async throws -> Response {
        try await database.transaction(as: caller) { session in
            let present = try await session.query(
                resource.lock(name, of: caller.organizationID)
            ).first
            if let present {
                try request.checkMatch(version: try present.int("version"))
            } else {
                guard uniqueness(of: name) != nil else { throw Problem.notFound }
                if request.http.headers["if-match"] != nil { throw Problem.preconditionFailed }
            }
            let draft = try draft(replacing: present, named: name, by: body)
            let rows = try await write(draft, session, caller)
            return try .object(rows, status: present == nil ? 201 : 200)
        }
    }

    private func draft(
        replacing present: Row?, named name: RowName<Entity>, by body: Fields
    ) throws -> Draft<Entity> {
        switch name {
        case .id(let id):
            return try Draft(body, id: id, present: present, columns: resource.columns)
        case .source(let source):
            let id = try present.map { try Entity.Key.read($0, "id") } ?? .new(nil)
            return try Draft(
                body, source: source, id: id, present: present, columns: resource.columns)
        }
    }

    /// Changes the fields in the body and leaves the rest.
    func change(_ request: Request, _ caller: Caller) async throws -> Response {
        try await resource.rules.before(request, caller, database)
        let name = try name(request)
        let change = try await request.body()
        return try await database.transaction(as: caller) { session in
            let present = try await lock(name, request, session, caller)
            let draft = try Draft<Entity>(
                change: change, of: .read(present, "id"), present: present,
                columns: resource.columns)
            return try .object(try await write(draft, session, caller))
        }
    }

    func changed(
        _ request: Request, _ caller: Caller, _ statements: (Entity.Key) -> [Statement]
    ) async throws -> Rows {
        let name = try name(request)
        return try await database.transaction(as: caller) { session in
            let row = try await lock(name, request, session, caller)
            let id = try Entity.Key.read(row, "id")
            _ = try await session.query(statements(id))
            return try await session.query(resource.find(.id(id), of: caller.organizationID))
        }
    }

    private func lock(
        _ name: RowName<Entity>, _ request: Request, _ session: Session, _ caller: Caller
    ) async throws -> Row {
        let found = try await session.query(resource.lock(name, of: caller.organizationID))
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
        let name = try name(request)
        let subject = Entity.table.text
        do {
            return try await database.transaction(as: caller) { session in
                let row = try await lock(name, request, session, caller)
                let id = try Entity.Key.read(row, "id")
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
        _ id: Entity.Key, _ session: Session, _ caller: Caller
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
