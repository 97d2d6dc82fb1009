import API
import HTTPServer
import HTTPWire
import JSONBytes
import Postgres
import School
import Values

/// Where a person is signed in, and ending that.
extension Access {
    var sessionEndpoints: [Endpoint] { ownSessionEndpoints + managedSessionEndpoints }

    private var ownSessionEndpoints: [Endpoint] {
        let people = Standing.rolesOfPeople
        return [
            Endpoint(
                .post, "/v1/me/session/renewal", "Keep your browser signed in",
                description:
                    "Gives the token of a browser its full idle time again, up to 30 days after the sign-in.",
                for: people,
                answers: [.json("How long the token lives from now on.", SessionShapes.renewal)],
                problems: [(409, "The token belongs to no browser.")], keys: .ignored,
                handler: renewSession),
            Endpoint(
                .get, "/v1/me/sessions", "List where you are signed in", for: people,
                query: Endpoint.Parameter.page,
                answers: [.page("The latest sign-in first.", of: SessionShapes.session)],
                handler: listOwnSessions),
            Endpoint(
                .delete, "/v1/me/sessions", "Sign out everywhere else",
                description: "Ends your sign-ins in other browsers, apps and connected systems.",
                for: people,
                answers: [.empty(204, "Only this sign-in is left.")],
                handler: endOtherSessions),
            Endpoint(
                .delete, "/v1/me/sessions/{id}", "End one of your sign-ins", for: people,
                answers: [.empty(204, "The sign-in is ended.")], handler: endOwnSession),
        ]
    }

    private var managedSessionEndpoints: [Endpoint] {
        let managers: [Standing] = [.administrator, .siteManager, .peopleManager]
        let forbidden = [(status: 403, meaning: "You may not reset the person's password.")]
        return [
            Endpoint(
                .get, "/v1/people/{id}/sessions", "List where a person is signed in",
                description: "For those who may set the person's password.",
                for: managers, query: Endpoint.Parameter.page,
                answers: [.page("The latest sign-in first.", of: SessionShapes.session)],
                problems: forbidden, handler: listSessions),
            Endpoint(
                .delete, "/v1/people/{id}/sessions/{sessionId}", "End a person's sign-in",
                description:
                    "For those who may set the person's password. Other sign-ins of the person stay.",
                for: managers, answers: [.empty(204, "The sign-in is ended.")], problems: forbidden,
                handler: endSession),
        ]
    }

    func renewSession(_ request: Request, _ caller: Caller) async throws -> Response {
        guard let token = request.bearer else { throw Problem.unauthenticated }
        let rows = try await database.transaction(as: caller) { session in
            try await session.query(.renewSession(of: token))
        }
        guard let seconds = try rows.first?.optionalInt("seconds") else {
            throw Problem.notOfBrowser
        }
        return .json(["expiresIn": JSONValue(integerLiteral: Int64(seconds))])
    }

    func listOwnSessions(_ request: Request, _ caller: Caller) async throws -> Response {
        guard let personID = caller.personID else { throw Problem.notFound }
        return try await list(of: personID, request, caller)
    }

    func endOtherSessions(_ request: Request, _ caller: Caller) async throws -> Response {
        guard let token = request.bearer else { throw Problem.unauthenticated }
        _ = try await database.transaction(as: caller) { session in
            try await session.query(.endOtherSessions(than: token))
        }
        return .noContent
    }

    func endOwnSession(_ request: Request, _ caller: Caller) async throws -> Response {
        let id: ID<SessionEntity> = try request.id("id")
        let rows = try await database.transaction(as: caller) { session in
            try await session.query(.endOwnSession(id))
        }
        guard try rows.first?.bool("is_ended") == true else { throw Problem.notFound }
        return .noContent
    }

    func listSessions(_ request: Request, _ caller: Caller) async throws -> Response {
        let personID = try await person(of: request, caller)
        let outcome = try await database.query(.sessionsOutcome(of: personID), as: caller)
        try Self.checkOutcome(try outcome.first?.text("outcome"))
        return try await list(of: personID, request, caller)
    }

    func endSession(_ request: Request, _ caller: Caller) async throws -> Response {
        let id: ID<SessionEntity> = try request.id("sessionId")
        let personID = try await person(of: request, caller)
        let outcome = try await database.transaction(as: caller) { session in
            try await session.query(.endSession(id, of: personID))
        }
        try Self.checkOutcome(try outcome.first?.text("outcome"))
        return .noContent
    }

    private func list(
        of personID: PersonID, _ request: Request, _ caller: Caller
    ) async throws -> Response {
        guard let token = request.bearer else { throw Problem.unauthenticated }
        let page = try request.page()
        let statement = Statement.sessions(
            of: personID, asking: token, before: try page.afterID(), limit: page.limitPlusOne)
        return try page.response(
            try await database.page(statement, page, as: caller), request: request)
    }

    /// The person in the path; 404 if the caller does not see the person.
    private func person(of request: Request, _ caller: Caller) async throws -> PersonID {
        let reference: Reference<PersonEntity> = try request.reference("id")
        let found = try await database.query(
            .visiblePerson(reference, organizationID: caller.organizationID), as: caller)
        guard let row = found.first else { throw Problem.notFound }
        return PersonID(try row.uuid("person_id"))
    }

    private static func checkOutcome(_ outcome: String?) throws {
        switch outcome {
        case "allowed": return
        case "forbidden": throw Problem.forbiddenSessions
        default: throw Problem.notFound
        }
    }
}

/// Names the ids of sign-ins.
enum SessionEntity {}

extension Statement {
    /// How many seconds the token of a browser lives from now on; null for any other token.
    fileprivate static func renewSession(of token: Token) -> Statement {
        "select school.renew_session(\(token.digest)) as seconds"
    }

    fileprivate static func sessions(
        of personID: PersonID, asking token: Token, before: UUID?, limit: Int
    ) -> Statement {
        """
        select s.id, s.kind, s.bundle_id, s.connected_system_id, s.client_name, s.user_agent,
               s.address, s.started_at, s.last_used_at, s.is_current as "current"
          from school.sessions_of(\(personID), \(token.digest), \(before), \(limit)) as s
        """
    }

    fileprivate static func endOwnSession(_ id: ID<SessionEntity>) -> Statement {
        "select school.end_my_session(\(id)) as is_ended"
    }

    fileprivate static func endOtherSessions(than token: Token) -> Statement {
        "select school.end_my_other_sessions(\(token.digest))"
    }

    /// One word: `allowed`, `unknown` or `forbidden`.
    fileprivate static func sessionsOutcome(of personID: PersonID) -> Statement {
        "select school.sessions_outcome(\(personID)) as outcome"
    }

    /// The same.
    fileprivate static func endSession(
        _ id: ID<SessionEntity>, of personID: PersonID
    ) -> Statement {
        "select school.end_session_of(\(personID), \(id)) as outcome"
    }
}
