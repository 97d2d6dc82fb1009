import API
import EventLoop
import Postgres
import School

/// A request for a page of a collection, or for one of its objects.
struct PageRequest: Sendable {
    let collection: RosterCollection
    let nested: NestedCollection?
    let edition: Edition
    let request: Request
    let caller: Caller
    /// When it came: a snapshot that was taken since shows what is now to it.
    var arrival = ContinuousClock.now

    init(
        _ collection: RosterCollection, _ nested: NestedCollection?, _ edition: Edition,
        _ request: Request, _ caller: Caller
    ) {
        self.collection = collection
        self.nested = nested
        self.edition = edition
        self.request = request
        self.caller = caller
    }

    /// What it wants of the collection, which is read at that moment.
    func query(at moment: RosterMoment = .now) throws(StatusInfo) -> RosterQuery {
        let parent = nested.map { nested in
            nested.condition(
                NestedPath(sourcedIDs: nested.parameters.map(request.path), moment: moment))
        }
        return try RosterQuery(request, of: collection, parent: parent, at: moment)
    }
}

extension OneRoster {
    /// The page in the roster as it is now.
    func present(_ asked: PageRequest, _ query: RosterQuery) async throws -> Response {
        try await remembered(asked.collection, asked.request, asked.caller) {
            let page = try await self.page(asked, query)
            let revision = query.showsFormer ? nil : try page.revision()
            return (revision, try page.response(to: asked.request))
        }
    }

    /// The same while the roster has a revision; throws `RosterIsGone` if it has another one by now.
    func unchanged(
        _ asked: PageRequest, _ query: RosterQuery, at wanted: String
    ) async throws -> Response {
        try await remembered(asked.collection, asked.request, asked.caller) {
            guard let page = try await current(asked, query, at: wanted) else {
                throw RosterIsGone()
            }
            let revision = query.showsFormer ? nil : try page.revision()
            return (revision, try page.response(to: asked.request))
        }
    }

    /// What the database returns of the roster as it is now.
    func page(_ asked: PageRequest, _ query: RosterQuery) async throws -> RosterPage {
        if let page = try await current(asked, query) { return page }
        // It changes faster than its index is made: all who ask meanwhile read in one snapshot that was taken after they
        // came, by one index of it.
        if let kept = try await snapshots.keep(nil, since: asked.arrival, for: asked.caller),
            let page = try await page(asked, in: kept)
        {
            return page
        }
        return try await sorted(asked, query)
    }

    /// The same; `nil` if the roster changes between the index and the page, or an index says that it has another
    /// revision than the wanted one.
    private func current(
        _ asked: PageRequest, _ query: RosterQuery, at wanted: String? = nil
    ) async throws -> RosterPage? {
        guard let pages = asked.collection.pages, query.wholeAfter != nil else {
            return try await sorted(asked, query)
        }
        let found = try await rows(pages, asked, query, at: wanted, isKept: false) {
            try await database.longQuery($0, as: asked.caller)
        }
        guard let found else { return nil }
        return try remembering(found, asked, query, key(of: asked, query, at: nil))
    }

    /// The page of a collection that has no index, or a filter or an order of the client's.
    private func sorted(_ asked: PageRequest, _ query: RosterQuery) async throws -> RosterPage {
        let key = key(of: asked, query, at: nil)
        let known = query.showsFormer ? nil : memory.total(for: key)
        let statement = query.statement(of: asked.collection, known: known)
        let rows =
            query.isSingle && asked.collection.part == .rostering
            ? try await database.query(statement, as: asked.caller)
            : try await database.longQuery(statement, as: asked.caller)
        let page = try remembering(rows, asked, query, key)
        if asked.collection.isOfStudentsWork {
            await viewings.note(try await work(on: page, asked), as: asked.caller)
        }
        return page
    }

    /// The page of an earlier revision; `nil` if it cannot be read any more. Whether it may be is asked again after it was
    /// read: what has been erased by then is not shown.
    func page(
        _ asked: PageRequest, in kept: KeptRoster
    ) async throws -> RosterPage? {
        let query = try asked.query(at: .kept(kept.takenAt))
        let key = key(of: asked, query, at: kept.revision)
        func run(_ statement: Statement) async throws -> Rows {
            let rows = try await database.longQuery(
                statement, as: asked.caller, in: kept.snapshot)
            guard let rows, try rows[0].text("revision") == kept.revision else {
                throw RosterIsGone()
            }
            return rows
        }
        let found: Rows?
        do {
            if let pages = asked.collection.pages, query.wholeAfter != nil {
                found = try await rows(
                    pages, asked, query, at: kept.revision, isKept: true, run: run)
            } else {
                let known = query.showsFormer ? nil : memory.total(for: key)
                found = try await run(query.statement(of: asked.collection, known: known))
            }
        } catch is RosterIsGone {
            try await traversals.forget(kept, asked.caller)
            return nil
        }
        guard let found, try await traversals.isKept(kept, asked.caller) else { return nil }
        return try remembering(found, asked, query, key)
    }

    /// A page of a whole collection, found by its index; `nil` if the roster has another revision by now.
    ///
    /// - Parameters:
    ///   - wanted: the revision that it should be of; `nil` for any.
    ///   - isKept: whether statements run in a snapshot of that revision, and not in the present.
    ///   - run: asks the database, all times at the same moment.
    private func rows(
        _ pages: PagesByID, _ asked: PageRequest, _ query: RosterQuery, at wanted: String?,
        isKept: Bool, run: (Statement) async throws -> Rows
    ) async throws -> Rows? {
        let key = RosterIndexes.Key(
            organization: asked.caller.organizationID, collection: asked.collection.name,
            revision: isKept ? wanted : nil)
        let known = indexes.known(for: key, of: wanted)
        if let known {
            let rows = try await run(query.statement(pages, of: asked.collection, by: known))
            if try !rows[0].isNull("total") { return rows }
            if known.revision == wanted { return nil }
        }
        let index = try await indexes.index(for: key, after: known) {
            try RosterIndex(try await run(query.index(pages, of: asked.collection))[0])
        }
        let rows = try await run(query.statement(pages, of: asked.collection, by: index))
        return try rows[0].isNull("total") ? nil : rows
    }

    /// What the number of objects depends on.
    private func key(
        of asked: PageRequest, _ query: RosterQuery, at revision: String?
    ) -> RosterMemory.Key {
        RosterMemory.Key(
            organization: asked.caller.organizationID, server: revision ?? "",
            target: asked.request.path(withFilter: query.filter))
    }

    /// The work of students that a page shows. Where it has no objects, or not all that a filter or a parent wants, it
    /// still says how many those are: that is about all of them.
    private func work(on page: RosterPage, _ asked: PageRequest) async throws -> [ViewedWork] {
        let isEmpty = try page.isEmpty
        let isNarrowed = page.query.filter != nil || asked.nested != nil
        guard isEmpty || isNarrowed, try page.total() > (isEmpty ? 0 : page.rows.count) else {
            return try page.work()
        }
        let rows = try await database.longQuery(
            page.query.work(in: page.collection), as: asked.caller)
        return try rows.map { row in
            ViewedWork(
                of: try row.optionalUUID("person_id").map { .id(PersonID($0)) },
                in: .id(ClassID(try row.uuid("class_id"))))
        }
    }

    private func remembering(
        _ rows: Rows, _ asked: PageRequest, _ query: RosterQuery, _ key: RosterMemory.Key
    ) throws -> RosterPage {
        let page = RosterPage(
            collection: asked.collection, query: query, rows: rows, edition: asked.edition,
            server: issuer.text(for: asked.request))
        if !query.showsFormer, let revision = try page.revision() {
            memory.keep(RosterTotal(revision: revision, total: try page.total()), for: key)
        }
        return page
    }

    /// The answer that is remembered, if the roster still has its revision; otherwise what the body makes.
    func remembered(
        _ collection: RosterCollection, _ request: Request, _ caller: Caller,
        _ answer: () async throws -> (revision: String?, response: Response)
    ) async throws -> Response {
        guard collection.part == .rostering else { return try await answer().response }
        let key = RosterMemory.Key(
            organization: caller.organizationID, server: issuer.text(for: request),
            target: request.wholeTarget)
        let now = Loop.current?.now ?? 0
        if let known = memory.answer(for: key, now: now) {
            // Asked as the caller: only roster readers may know the revision.
            let rows = try await database.query(
                "select school.roster_revision() as revision", as: caller)
            if try rows[0].text("revision") == known.revision { return known.response }
        }
        let (revision, response) = try await answer()
        if let revision { memory.keep(response, at: revision, for: key, now: now) }
        return response
    }
}

/// A revision of the roster cannot be read any more.
struct RosterIsGone: Error {}
