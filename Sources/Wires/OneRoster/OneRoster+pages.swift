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

    /// What it wants of the collection.
    func query() throws(StatusInfo) -> RosterQuery {
        let parent = nested.map { $0.condition($0.parameters.map(request.path)) }
        return try RosterQuery(request, of: collection, parent: parent)
    }
}

extension OneRoster {
    /// What the database returns of the roster.
    func page(_ asked: PageRequest, _ query: RosterQuery) async throws -> RosterPage {
        guard let pages = asked.collection.pages, query.wholeAfter != nil else {
            return try await sorted(asked, query)
        }
        let (rows, total) = try await rows(pages, asked, query)
        return page(of: asked, query, rows, countedAt: total)
    }

    /// The page of a collection that has no index, or a filter or an order of the client's.
    private func sorted(_ asked: PageRequest, _ query: RosterQuery) async throws -> RosterPage {
        // What there is of the gradebook depends on the account.
        let hasRevision = asked.collection.part == .rostering
        let account = asked.caller.serviceAccountID.map { "\($0.uuid)" }
        let key = RosterMemory.Key(
            organization: asked.caller.organizationID,
            server: hasRevision ? "" : account ?? asked.caller.tokenID ?? "",
            target: asked.request.path(withFilter: query.filter))
        let known = query.showsFormer && hasRevision ? nil : memory.total(for: key)
        let statement = query.statement(of: asked.collection, known: known)
        let rows =
            query.isSingle && hasRevision
            ? try await database.query(statement, as: asked.caller)
            : try await database.longQuery(statement, as: asked.caller)
        let revision = try rows[0].optionalText("revision")
        let isCounted = query.place == nil || known == nil
        let page = page(
            of: asked, query, rows, countedAt: isCounted ? revision : known?.revision)
        if isCounted, !query.isSingle, revision != nil ? !query.showsFormer : !hasRevision {
            memory.keep(
                RosterTotal(revision: revision ?? "", total: try page.counted()), for: key)
        }
        if asked.collection.isOfStudentsWork {
            await viewings.note(try await work(on: page, asked), as: asked.caller)
        }
        return page
    }

    private func page(
        of asked: PageRequest, _ query: RosterQuery, _ rows: Rows, countedAt revision: String?
    ) -> RosterPage {
        RosterPage(
            collection: asked.collection, query: query, rows: rows, edition: asked.edition,
            server: issuer.text(for: asked.request), countedAt: revision)
    }

    /// A page of a whole collection, found by its index, and the revision at which the collection was counted.
    ///
    /// A page behind a place needs no count of what comes before it, and says how many objects there were when they were
    /// counted last. Any other is of the revision that was counted, unless that changes faster than it is counted.
    private func rows(
        _ pages: PagesByID, _ asked: PageRequest, _ query: RosterQuery
    ) async throws -> (rows: Rows, countedAt: String) {
        func run(_ statement: Statement) async throws -> Rows {
            try await database.longQuery(statement, as: asked.caller)
        }
        let key = RosterIndexes.Key(
            organization: asked.caller.organizationID, collection: asked.collection.name)
        let known = indexes.known(for: key)
        if let known {
            let isExact = query.place == nil
            let rows = try await run(
                query.statement(pages, of: asked.collection, by: known, isExact: isExact))
            if try !rows[0].isNull("total") { return (rows, known.revision) }
        }
        let index = try await indexes.index(for: key, after: known) {
            try RosterIndex(try await run(query.index(pages, of: asked.collection))[0])
        }
        let rows = try await run(
            query.statement(pages, of: asked.collection, by: index, isExact: false))
        return (rows, index.revision)
    }

    /// The work of students that a page shows. Where it has no objects, or not all that a filter or a parent wants, it
    /// still says how many those are: that is about all of them.
    private func work(on page: RosterPage, _ asked: PageRequest) async throws -> [ViewedWork] {
        let isEmpty = try page.isEmpty
        let isNarrowed = page.query.filter != nil || asked.nested != nil
        let shown = try page.objects.count
        guard isEmpty || isNarrowed, try page.counted() > shown else { return try page.work() }
        let rows = try await database.longQuery(
            page.query.work(in: page.collection), as: asked.caller)
        return try rows.map { row in
            ViewedWork(
                of: try row.optionalUUID("person_id").map { .id(PersonID($0)) },
                in: .id(ClassID(try row.uuid("class_id"))))
        }
    }

    /// The answer that is remembered, if the roster still has its revision; otherwise what the body makes.
    ///
    /// - Parameter read: to where the client has read. Where its pages are of several revisions, the next one is the
    ///   answer to this client alone.
    func remembered(
        _ collection: RosterCollection, _ request: Request, _ caller: Caller,
        from read: ReadPlace? = nil, _ answer: () async throws -> RosterAnswer
    ) async throws -> RosterAnswer {
        guard collection.part == .rostering else { return try await answer() }
        let key = RosterMemory.Key(
            organization: caller.organizationID, server: issuer.text(for: request),
            target: request.wholeTarget)
        let now = Loop.current?.now ?? 0
        if let known = memory.answer(for: key, now: now),
            read.map({ $0.revision == known.revision }) ?? true
        {
            // Asked as the caller: only roster readers may know the revision.
            let rows = try await database.query(
                "select school.roster_revision() as revision", as: caller)
            if try rows[0].text("revision") == known.revision { return known }
        }
        let new = try await answer()
        if new.revision != nil { memory.keep(new, for: key, now: now) }
        return new
    }
}
