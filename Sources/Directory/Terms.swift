import HTTPServer
import HTTPWire
import Postgres
import School

extension Directory {
    var termEndpoints: [Endpoint] {
        let term = Shape.object(DirectoryShapes.term)
        let body = Endpoint.Body.json(.object(DirectoryShapes.newTerm))
        let refused = [
            (409, "It overlaps another term, is closed, or another record has this sourceId."),
            (412, "It changed since you read it."),
        ]
        return [
            Endpoint(
                .get, "/v1/terms", "List school years and terms", for: Self.readersAndTeachers,
                query: Self.termFilters + Endpoint.Parameter.page,
                answers: [.page("Terms in the order of their ids.", of: DirectoryShapes.term)],
                handler: listTerms),
            Endpoint(
                .post, "/v1/terms", "Add a school year or a part of one", for: Self.writers,
                body: body, answers: [.json("The new term.", term, status: 201).tagged.located],
                problems: [refused[0]], handler: addTerm),
            Endpoint(
                .get, "/v1/terms/{id}", "Read a term", for: Self.readersAndTeachers,
                answers: [.json("The term.", term).tagged, .unchanged], handler: findTerm),
            Endpoint(
                .put, "/v1/terms/{id}", "Replace a term, or create it by source:ID",
                for: Self.writers, body: body,
                answers: [
                    .json("Replaced.", term).tagged, .json("Created.", term, status: 201).tagged,
                ], problems: refused, handler: putTerm),
            Endpoint(
                .patch, "/v1/terms/{id}", "Change fields of a term", for: Self.writers,
                body: .json(DirectoryShapes.newTerm.change("TermChange")),
                answers: [.json("As it is now.", term).tagged], problems: refused,
                handler: changeTerm),
            Self.removalEndpoint(
                "/v1/terms/{id}", "Delete a term without classes or parts",
                for: Self.writers, handler: removeTerm),
        ] + closingEndpoints
    }

    private static let termFilters: [Endpoint.Parameter] = [
        .optional("kind", .word(TermKind.words), "Only of this kind."),
        .optional("status", .word(["open", "closed"]), "Only of this status."),
        .optional("on", .day, "Only those in which this day lies."),
        .optional("parentId", .reference, "Only the parts of this term."),
        DirectoryShapes.nameParameter, DirectoryShapes.sourceParameter,
        DirectoryShapes.updatedParameter,
    ]

    func listTerms(_ request: Request, _ caller: Caller) async throws -> Response {
        let filter = TermFilter(request)
        return try await page(request, caller) { after, limit in
            .terms(of: caller.organizationID, filter, after: after, limit: limit)
        }
    }

    func findTerm(_ request: Request, _ caller: Caller) async throws -> Response {
        let reference: Reference<TermEntity> = try request.reference("id")
        return try .object(
            try await database.query(.term(reference, of: caller.organizationID), as: caller))
    }

    func addTerm(_ request: Request, _ caller: Caller) async throws -> Response {
        try await post(request, caller, termKind(caller))
    }

    func putTerm(_ request: Request, _ caller: Caller) async throws -> Response {
        try await put(request, caller, termKind(caller))
    }

    func changeTerm(_ request: Request, _ caller: Caller) async throws -> Response {
        try await patch(request, caller, termKind(caller))
    }

    func removeTerm(_ request: Request, _ caller: Caller) async throws -> Response {
        let organization = caller.organizationID
        return try await remove(
            request, caller,
            Removal<TermEntity>(
                subject: "term", find: { .lockTerm($0, of: organization) },
                hanging: { .hanging(on: $0, of: organization) },
                remove: { .remove($0, of: organization) }))
    }

    private func termKind(_ caller: Caller) -> Kind<TermEntity> {
        let organization = caller.organizationID
        return Kind(
            shape: DirectoryShapes.newTerm,
            find: { .lockTerm($0, of: organization) },
            create: { session, id, sent in
                let term = try NewTerm(sent)
                let parent = try await parent(of: term, session, caller)
                try await session.query(.add(term, id, in: parent, to: organization))
            },
            replace: { session, id, sent, found in
                guard try found.optionalTimestamp("closed_at") == nil else {
                    throw Problem.termClosed
                }
                let term = try NewTerm(sent)
                let parent = try await parent(of: term, session, caller)
                let parts = try await session.query(.parts(of: id, outside: term, of: organization))
                try term.checkParts(parts[0])
                try await session.query(.replace(id, by: term, in: parent, of: organization))
            },
            read: { .term(.id($0), of: organization) },
            sourceConstraint: "term_source_id_is_unique")
    }

    /// The term that a body names as the larger one, locked, so that its days stay while this one is written.
    private func parent(
        of term: NewTerm, _ session: Session, _ caller: Caller
    ) async throws -> TermID? {
        guard let reference = term.parent else { return nil }
        let rows = try await session.query(.lockParent(reference, of: caller.organizationID))
        guard rows.count > 0 else { throw Problem.unknownReference("/parentId") }
        try term.checkParent(rows[0])
        return TermID(try rows[0].uuid("id"))
    }
}

extension DirectoryShapes {
    private static let termFields: [Field] = [
        .required("name", .line()),
        .required("kind", .word(TermKind.words), "A term is part of one of a kind before its own."),
        .required("startsOn", .day), .required("endsOn", .day, "The first day after it."), sourceID,
    ]

    static let newTerm = ObjectShape(
        "NewTerm",
        termFields + [
            .optional("parentId", .reference, "The larger term that it is a part of.")
        ])

    static let term = ObjectShape(
        "Term",
        [.required("id", .uuid), .orNull("parentId", .uuid)] + termFields.answered + [
            .required("status", .word(["open", "closed"])),
            .orNull("closedAt", .timestamp, "When its classes were archived."),
        ] + stamps)
}
