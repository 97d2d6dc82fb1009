import Crypto
import EventLoop
import HTTPServer
import HTTPWire
import JSONBytes
import Log
import Postgres
import Values

/// All features behind one door: finds the endpoint, knows the caller, and explains what goes wrong.
package final class Service: Sendable {
    /// An endpoint and its number.
    private struct Route: Sendable {
        let endpoint: Endpoint
        let number: Int
    }

    private let router: Router<Route>
    /// The methods and the patterns of the paths of all endpoints: the first is route number 1 of a request.
    package let routes: [(method: String, path: String)]
    /// What is implemented at all; any other method is 501, wherever it is sent (RFC 9110 section 9.1).
    private let methods: [HTTPMethod] = [.get, .head, .post, .put, .patch, .delete, .options]
    private let authenticator: Authenticator
    let database: Database
    let runningCalls = RunningCalls()
    private let constraints: [String: Problem]
    private let log: Log?

    /// - Parameter log: where the causes of failures go; `nil` for nowhere.
    package init(
        features: [any Feature], database: Database, authenticator: Authenticator, log: Log?
    ) {
        var router = Router<Route>()
        var routes: [(method: String, path: String)] = []
        var constraints: [String: Problem] = [:]
        for feature in features {
            for endpoint in feature.endpoints {
                routes.append((endpoint.method.name, endpoint.path))
                router.register(
                    endpoint.method, endpoint.path,
                    Route(endpoint: endpoint, number: routes.count))
            }
            constraints.merge(feature.constraints) { first, _ in first }
        }
        self.router = router
        self.routes = routes
        self.constraints = constraints
        self.database = database
        self.authenticator = authenticator
        self.log = log
    }

    /// Answers any request, whatever goes wrong.
    package func answer(_ http: HTTPRequest) async -> HTTPResponse {
        var response = await respond(to: http)
        if !response.headers.contains(where: { $0.name == Self.noSniffing.name }) {
            response.headers.append(Self.noSniffing)
        }
        return HTTPResponse(
            status: response.status, headers: response.headers, body: response.body)
    }

    /// What somebody typed into a name is never taken for a page, whatever it looks like.
    private static let noSniffing = ResponseField("X-Content-Type-Options", "nosniff")

    private func respond(to http: HTTPRequest) async -> Response {
        switch router.match(http.method, http.segments) {
        case .notFound:
            if http.head.isAboutServer { return options(methods) }
            return problem(methods.contains(http.method) ? .notFound : .unknownMethod, http)
        case .methodNotAllowed(let allowed):
            if case .found(let neighbour, _) = router.match(allowed[0], http.segments) {
                http.route = neighbour.endpoint.path
            }
            if http.method == .options { return options(allowed) }
            return problem(
                methods.contains(http.method) ? .notAllowed(allowed) : .unknownMethod, http)
        case .found(let route, let parameters):
            let endpoint = route.endpoint
            http.route = endpoint.path
            http.routeNumber = route.number
            var caller: Caller?
            let request = Request(http: http, endpoint: endpoint, parameters: parameters)
            do {
                try request.checkQuery()
                try request.checkContentCoding()
                let response = try await call(endpoint, request, &caller)
                return try request.conditioned(response)
            } catch {
                var problem = Problem(explaining: error, constraints: constraints)
                // Whoever only reads has changed nothing.
                if problem.code == "outcome_unknown", http.method == .get { problem = .unavailable }
                if problem.status >= 500, !error.isGivenUp { tell(error, request) }
                if problem.status == 403, let caller {
                    await audit(problem, caller, endpoint, request)
                }
                if let refusal = endpoint.refusal?(problem) { return refusal }
                return self.problem(problem, http)
            }
        }
    }

    /// What can be done, here or anywhere (RFC 9110 section 9.3.7).
    private func options(_ methods: [HTTPMethod]) -> Response {
        Response(204, headers: [.allow(methods)])
    }

    private func call(
        _ endpoint: Endpoint, _ request: Request, _ reached: inout Caller?
    ) async throws -> Response {
        if endpoint.keys == .refused, request.http.headers["idempotency-key"] != nil {
            throw Problem.secretsAreNotReplayed
        }
        if let open = endpoint.open { return try await open(request) }
        guard case .standings(let standings) = endpoint.callers else { throw Problem.notFound }
        let address = request.http.clientAddress
        var known = try await authenticator.caller(
            authorization: request.http.headers["authorization"], from: address)
        known.address = address
        reached = known
        if known.mustChangePassword, endpoint.path != "/v1/me/password" {
            throw Problem.passwordMustChange
        }
        guard let caller = known.acting(asFirstOf: standings) else {
            let reason = endpoint.problems.first { $0.status == 403 }?.meaning
            throw Problem.missingStanding(
                needed: standings, held: known.standings, because: reason)
        }
        reached = caller
        request.http.standing = caller.standing.rawValue
        return try await act(endpoint, request, caller)
    }

    private func problem(_ problem: Problem, _ http: HTTPRequest) -> Response {
        Response(
            problem.status,
            headers: [
                ResponseField("Content-Type", "application/problem+json"),
                ResponseField("Cache-Control", "no-store"),
            ] + problem.headers,
            body: .bytes(problem.document(instance: http.requestID)))
    }

    /// Leaves an audit event of a denial, in a transaction of its own, before the answer.
    private func audit(
        _ problem: Problem, _ caller: Caller, _ endpoint: Endpoint, _ request: Request
    ) async {
        do {
            try await database.transaction(as: caller) { session in
                _ = try await session.query(
                    .audit(
                        "denial",
                        details: .object(
                            JSONObject(
                                [
                                    ("method", .text(endpoint.method.name)),
                                    ("route", .text(endpoint.path)), ("code", .text(problem.code)),
                                ] + auditedID(of: request)))))
            }
        } catch {
            log?.error("denial not audited", ["request_id": .text(request.id)])
        }
    }

    /// The id of the request where it is a UUID, as ours are; whatever else a client chose could be somebody's
    /// name, which no event tells.
    private func auditedID(of request: Request) -> [(String, JSONValue)] {
        UUID(request.id).map { [("requestId", .text($0.description))] } ?? []
    }

    private func tell(_ cause: any Error, _ request: Request) {
        log?.error(
            "request failed",
            ["request_id": .text(request.id), "cause": .text(logText(of: cause))])
    }
}

/// A cause for the log. What of PostgreSQL's errors may be said is decided where they describe themselves.
package func logText(of error: any Error) -> String { "\(error)" }

extension ResponseField {
    /// RFC 9110 section 10.2.1.
    fileprivate static func allow(_ methods: [HTTPMethod]) -> ResponseField {
        ResponseField("Allow", methods.map(\.name).joined(separator: ", "))
    }
}

extension Problem {
    fileprivate static func notAllowed(_ methods: [HTTPMethod]) -> Problem {
        let allow = ResponseField.allow(methods)
        return Problem(
            405, "method_not_allowed", "This method does not work here.",
            detail: "Allowed are \(allow.value).", headers: [allow])
    }

    fileprivate static let unknownMethod = Problem(
        501, "method_not_implemented", "This method works nowhere here.")

    static func missingStanding(
        needed: [Standing], held: [Standing], because reason: String?
    ) -> Problem {
        let needs = needed.map(\.rawValue).joined(separator: ", ")
        let holds = held.map(\.rawValue).joined(separator: ", ")
        let why = reason.map { " " + $0 } ?? ""
        return .forbidden("This call is for: \(needs). This token acts as: \(holds).\(why)")
    }
}
