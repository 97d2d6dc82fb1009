import API
import HTTPServer
import HTTPWire
import Postgres
import School

extension Directory {
    /// Closing a term and reopening it; both may be repeated.
    var closingEndpoints: [Endpoint] {
        let term = Shape.object(Self.terms.shape)
        let path = "/v1/terms/{id}/closing"
        let changed = (412, "It changed since you read it.")
        let closing = Endpoint(
            .put, path, "Close a term and archive its classes",
            description: """
                Its parts are closed, too. Nobody joins or leaves the archived classes and nothing more is \
                recorded in them, but their teachers keep the reports. Repeating the call changes nothing.
                """,
            for: Self.writers, answers: [.json("The closed term.", term).tagged],
            problems: [changed], handler: closeTerm)
        return [
            closing, closing.formerly(.post, path),
            Endpoint(
                .delete, path,
                "Reopen a term and the classes its closing archived",
                description: """
                    Parts that were closed with it open, too. Classes that were archived for other reasons stay \
                    archived.
                    """,
                for: Self.writers, answers: [.json("The open term.", term).tagged],
                problems: [
                    (409, "The larger term is closed; this one opens with it."), changed,
                ], handler: reopenTerm),
        ]
    }

    /// Archives the classes of the term and of its parts. Their teachers keep the reports and the seats stay, but no
    /// one joins or leaves any more.
    func closeTerm(_ request: Request, _ caller: Caller) async throws -> Response {
        try await change(request, caller) { session, id in
            try await session.query(.close(id))
        }
    }

    /// Reopens a closed term. Classes that were archived for other reasons stay archived.
    func reopenTerm(_ request: Request, _ caller: Caller) async throws -> Response {
        try await change(request, caller) { session, id in
            let rows = try await session.query(.reopen(id))
            guard try rows[0].bool("is_open") else { throw Problem.termClosed }
        }
    }

    private func change(
        _ request: Request, _ caller: Caller, _ act: (Session, TermID) async throws -> Void
    ) async throws -> Response {
        let reference: Reference<TermEntity> = try request.reference("id")
        let organization = caller.organizationID
        return try await database.transaction(as: caller) { session in
            let found = try await session.query(Self.terms.lock(reference, of: organization))
            guard found.count > 0 else { throw Problem.notFound }
            try request.checkMatch(version: try found[0].int("version"))
            let id = TermID(try found[0].uuid("id"))
            try await act(session, id)
            return try .object(try await session.query(Self.terms.find(.id(id), of: organization)))
        }
    }
}

extension Statement {
    static func close(_ id: TermID) -> Statement {
        """
        select school.close_term(\(id)) as archived
        """
    }

    static func reopen(_ id: TermID) -> Statement {
        """
        select school.reopen_term(\(id)) as is_open
        """
    }
}
