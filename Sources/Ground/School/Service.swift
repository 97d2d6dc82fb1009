import API
import Crypto
import EventLoop
import HTTPServer
import HTTPWire
import JSONBytes
import Log
import Postgres
import Values

/// All features behind one entry point: finds the endpoint, authenticates the caller, and explains errors.
package final class Service: Sendable {
    /// An endpoint and its number.
    private struct Route: Sendable {
        let endpoint: Endpoint
        let number: Int
    }

    private let router: Router<Route>
    /// The methods and path patterns of all endpoints. The first is route number 1 of a request.
    package let routes: [(method: String, path: String)]
    /// All implemented methods; any other method is 501 on any path (RFC 9110 section 9.1).
    private let methods: [HTTPMethod] = [.get, .head, .post, .put, .patch, .delete, .options]
    private let authenticator: Authenticator
    let database: Database
    let runningCalls = RunningCalls()
    private let constraints: [String: Problem]
    /// Below which slashes too many mean nothing, each by its segments.
    let foldedPaths: [[String]]
    private let refusals: [(below: String, refusal: Endpoint.Refusal)]
    private let answerFields: [(below: String, field: ResponseField)]
    private let log: Log?
    private let denials: Denials
    private let loadWarnings: LoadWarnings?
    /// What `expand` adds, by its name in the API document.
    let expandables: [String: Expandable]
    private let crossOrigin: CrossOrigin?

    /// - Parameters:
    ///   - crossOrigin: the other origins whose pages may call; `nil` for none.
    ///   - log: where the causes of failures go; `nil` discards them.
    package init(
        features: [any Feature], database: Database, authenticator: Authenticator,
        crossOrigin: CrossOrigin? = nil, log: Log?
    ) {
        var router = Router<Route>()
        var routes: [(method: String, path: String)] = []
        var constraints: [String: Problem] = [:]
        var expandables: [String: Expandable] = [:]
        for feature in features {
            for endpoint in feature.endpoints {
                routes.append((endpoint.method.name, endpoint.path))
                router.register(
                    endpoint.method, endpoint.path,
                    Route(endpoint: endpoint, number: routes.count))
            }
            constraints.merge(feature.constraints) { first, _ in first }
            for (record, expandable) in feature.expandables {
                expandables[record.rawValue] = expandable
            }
        }
        self.expandables = expandables
        self.crossOrigin = crossOrigin
        self.router = router
        self.routes = routes
        self.constraints = constraints
        refusals = features.flatMap(\.refusals)
        foldedPaths = features.compactMap(\.foldsSlashesBelow)
        answerFields = features.flatMap(\.answerFields)
        self.database = database
        self.authenticator = authenticator
        self.log = log
        denials = Denials(database: database, log: log)
        loadWarnings = log.map { LoadWarnings($0) }
    }

    /// Writes what is still being counted: this minute's denials, this second's refusals. Call it on a loop before
    /// the loop stops.
    package func finishCounting() async {
        loadWarnings?.logCounts()
        await denials.writeCounts()
    }

    /// Answers any request, whatever goes wrong.
    package func answer(_ http: HTTPRequest) async -> HTTPResponse {
        var response: Response
        if let preflight = crossOrigin?.preflight(http) {
            response = preflight
        } else {
            response = await respond(to: http)
        }
        if let crossOrigin { response.headers += crossOrigin.fields(for: http) }
        if !response.headers.contains(where: { $0.name == Self.noSniffing.name }) {
            response.headers.append(Self.noSniffing)
        }
        return HTTPResponse(
            status: response.status, headers: response.headers, body: response.body)
    }

    /// The longest body of which many may wait for the database.
    private static let smallBytes = 64 << 10

    /// Keeps browsers from treating text that someone typed into a name as HTML, whatever it looks like.
    private static let noSniffing = ResponseField("X-Content-Type-Options", "nosniff")

    private func respond(to http: HTTPRequest) async -> Response {
        let segments = segments(of: http)
        switch router.match(http.method, segments) {
        case .notFound:
            if http.head.isAboutServer { return options(methods) }
            return problem(methods.contains(http.method) ? .unknownCall : .unknownMethod, http)
        case .methodNotAllowed(let allowed):
            if case .found(let neighbour, _) = router.match(allowed[0], segments) {
                http.route = neighbour.endpoint.path
            }
            if http.method == .options { return options(allowed) }
            return problem(
                methods.contains(http.method) ? .notAllowed(allowed) : .unknownMethod, http)
        case .found(let route, let parameters):
            http.route = route.endpoint.path
            http.routeNumber = route.number
            var response = await serve(route.endpoint, http, parameters)
            if let successor = route.endpoint.operation.successor {
                response.headers += successor.fields
            }
            return response
        }
    }

    private func serve(
        _ endpoint: Endpoint, _ http: HTTPRequest, _ parameters: PathParameters
    ) async -> Response {
        var caller: Caller?
        let request = Request(http: http, operation: endpoint.operation, parameters: parameters)
        do {
            let response = try await call(endpoint, request, &caller)
            return limited(try request.conditioned(response), caller)
        } catch {
            var problem = Problem(explaining: error, constraints: constraints)
            // A read has changed nothing.
            if problem.code == "outcome_unknown", http.method == .get { problem = .unavailable }
            if problem.isLoad {
                loadWarnings?.count(problem)
            } else if problem.status >= 500, !error.isGivenUp {
                logFailure(error, request)
            }
            if problem.status == 403, let caller {
                await denials.leave(
                    Denials.Kind(problem, caller, endpoint), caller, requestID: UUID(request.id))
            }
            if let refusal = endpoint.refusal?(problem) { return refusal }
            let response = self.problem(problem, http)
            return problem.status == 429 ? response : limited(response, caller)
        }
    }

    /// The allowed methods, for this path or for all (RFC 9110 section 9.3.7).
    private func options(_ methods: [HTTPMethod]) -> Response {
        Response(204, headers: [.allow(methods)])
    }

    private func call(
        _ endpoint: Endpoint, _ request: Request, _ reached: inout Caller?
    ) async throws -> Response {
        if let open = endpoint.open {
            try request.checkForm()
            return try await open(request)
        }
        guard case .standings(let standings) = endpoint.callers else { throw Problem.notFound }
        let address = request.http.clientAddress
        var known = try await authenticator.caller(
            authorization: request.http.headers["authorization"], from: address,
            cost: endpoint.operation.cost)
        known.address = address
        reached = known
        var request = request
        request.allowance = known.allowance
        if known.mustChangePassword, endpoint.path != "/v1/me/password" {
            throw Problem.passwordMustChange
        }
        guard var caller = known.acting(asFirstOf: standings) else {
            let reason = endpoint.operation.problems.first { $0.status == 403 }?.meaning
            throw Problem.missingStanding(
                needed: standings, held: known.standings, because: reason)
        }
        caller.readsReplica = endpoint.place == .replica
        caller.holdsMuch = (request.http.body.announcedLength ?? .max) > Self.smallBytes
        reached = caller
        try caller.check(scopesOf: endpoint)
        request.http.standing = caller.standing.rawValue
        try request.checkForm()
        return try await present(endpoint, request, caller)
    }

    private func problem(_ problem: Problem, _ http: HTTPRequest) -> Response {
        let path = "/" + http.segments.joined(separator: "/")
        for standard in refusals where path.hasPrefix(standard.below) {
            if let response = standard.refusal(problem) { return response }
        }
        return Response(
            problem.status,
            headers: [
                ResponseField("Content-Type", "application/problem+json"),
                ResponseField("Cache-Control", "no-store"),
            ] + problem.headers
                + answerFields.filter { standard in
                    path.hasPrefix(standard.below)
                        && !problem.headers.contains { $0.name == standard.field.name }
                }.map { $0.field },
            body: .bytes(problem.document(instance: http.requestID)))
    }

    /// Adds the caller's remaining allowance to the answer. Not for apps: from what is left, an app could infer what
    /// the person does in other apps, and two apps could infer that they have the same user.
    private func limited(_ response: Response, _ caller: Caller?) -> Response {
        guard let caller, caller.app == nil, let allowance = caller.allowance,
            let loop = Loop.current
        else { return response }
        let fields = allowance.fields(now: loop.now)
        guard !fields.isEmpty else { return response }
        var response = response
        response.headers += fields
        return response
    }

    private func logFailure(_ cause: any Error, _ request: Request) {
        log?.error(
            "request failed",
            LogFields(
                ["request_id": .text(request.id), "cause": .text(logText(of: cause))],
                of: request.http))
    }
}

extension LogFields {
    /// Fields of a line about a request, with the trace that the request belongs to.
    package init(_ fields: LogFields, of request: HTTPRequest?) {
        self = fields
        guard let trace = request?.trace else { return }
        append("trace_id", .text(trace.traceID))
        append("parent_id", .text(trace.parentID))
    }
}

/// A cause for the log. PostgreSQL's errors decide in their descriptions which of their parts may be logged.
package func logText(of error: any Error) -> String { "\(error)" }

extension ResponseField {
    /// RFC 9110 section 10.2.1.
    fileprivate static func allow(_ methods: [HTTPMethod]) -> ResponseField {
        ResponseField("Allow", methods.map(\.name).joined(separator: ", "))
    }
}

extension Caller {
    /// Answers 403 if the token has none of the scopes of the call, and is limited to scopes or needs one.
    fileprivate func check(scopesOf endpoint: Endpoint) throws {
        let wanted = endpoint.scopes
        guard scopes != nil || endpoint.needsScope,
            !wanted.contains(where: (scopes ?? []).contains)
        else { return }
        throw Problem.forbidden(
            wanted.isEmpty
                ? "This token is limited to scopes, none of which covers this call."
                : "This token needs one of the scopes \(wanted.joined(separator: ", ")).")
    }
}

extension Problem {
    fileprivate static func notAllowed(_ methods: [HTTPMethod]) -> Problem {
        let allow = ResponseField.allow(methods)
        return Problem(
            405, "method_not_allowed", "This path does not take this method.",
            detail: "Allowed are \(allow.value).", headers: [allow])
    }

    /// No endpoint has this path, as opposed to a record that is absent.
    fileprivate static let unknownCall = Problem(
        404, "unknown_call", "This path is not part of the API.",
        detail: "Check the spelling; /docs lists every call.")

    fileprivate static let unknownMethod = Problem(
        501, "method_not_implemented", "No call uses this method.")

    static func missingStanding(
        needed: [Standing], held: [Standing], because reason: String?
    ) -> Problem {
        let needs = needed.map(\.rawValue).joined(separator: ", ")
        let holds = held.map(\.rawValue).joined(separator: ", ")
        let why = reason.map { " " + $0 } ?? ""
        return .forbidden("This call is for: \(needs). This token acts as: \(holds).\(why)")
    }
}
