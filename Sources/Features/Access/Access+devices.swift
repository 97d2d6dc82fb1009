import API
import EventLoop
import HTTPServer
import HTTPWire
import JSONBytes
import Postgres
import School
import Values

/// Apps on devices without a browser (RFC 8628). The page `/device` makes the calls in the person's name.
extension Access {
    var deviceEndpoints: [Endpoint] {
        let people = Standing.rolesOfPeople
        let wrong = [
            (status: 422, meaning: "No app is waiting with this code."),
            (status: 429, meaning: "Too many wrong codes."),
        ]
        return [
            Endpoint(
                open: .post, "/oauth/device_authorization",
                "Ask for a code that a person types in elsewhere (RFC 8628)",
                description: """
                    The codes are valid for ten minutes. Ask `POST /oauth/token` for the outcome, no sooner than \
                    `interval` says: each time too soon makes the wait five seconds longer.
                    """,
                body: .form(OAuthShapes.deviceRequest),
                answers: [.json("The codes.", OAuthShapes.device)] + OAuthError.answers,
                keys: .refused, handler: beginDevice),
            Endpoint(
                .post, "/v1/me/device-codes/check", "Ask which app shows a code", for: people,
                body: .json(OAuthShapes.userCode),
                answers: [.json("The app, and what it will see.", OAuthShapes.asking)],
                problems: wrong, handler: checkDevice),
            Endpoint(
                .post, "/v1/me/device-codes/approval",
                "Allow the app that shows a code to act for you", for: people,
                body: .json(OAuthShapes.userCode),
                answers: [.empty(204, "The device gets its tokens when it asks next.")],
                problems: wrong, handler: approveDevice),
            Endpoint(
                .post, "/v1/me/device-codes/refusal",
                "Refuse the app that shows a code", for: people,
                body: .json(OAuthShapes.userCode),
                answers: [.empty(204, "The device learns it when it asks next.")],
                problems: wrong, handler: refuseDevice),
        ]
    }

    func beginDevice(_ request: Request) async throws -> Response {
        try await OAuthError.answering {
            let address = request.http.clientAddress
            let now = Loop.current?.now ?? 0
            if let seconds = devices.secondsToWait(address, now: now) {
                throw OAuthError.tooMany(retryAfterSeconds: seconds)
            }
            let form = try OAuthForm(request.http.headers, form: try await request.form())
            let app = try form.app()
            try form.checkAppScope()
            guard let environment = Environment(rawValue: form["environment"] ?? "production")
            else {
                throw OAuthError.invalidRequest("The environment is production or development.")
            }
            devices.count(address, now: now)
            let issuer = issuer.text(for: request)
            // Two of 25 billion codes are seldom the same.
            for _ in 0..<5 {
                let (code, userCode) = (Token(), UserCode())
                let rows = try await database.transaction { session in
                    try await session.query(
                        .beginDevice(code, userCode, of: app, environment: environment.rawValue))
                }
                switch try rows[0].text("outcome") {
                case "made": return Self.answer(code, userCode, issuer)
                case "taken": continue
                default: throw OAuthError.unknownApp
                }
            }
            throw OAuthError.tooMany(retryAfterSeconds: 5)
        }
    }

    private static func answer(_ code: Token, _ userCode: UserCode, _ issuer: String) -> Response {
        var response = Response.json([
            "device_code": .text(code.text), "user_code": .text(userCode.shown),
            "verification_uri": .text(issuer + "/device"),
            "verification_uri_complete": .text(issuer + "/device?user_code=" + userCode.shown),
            "expires_in": 600, "interval": 5,
        ])
        response.headers.append(OAuthError.noCache)
        return response
    }

    func checkDevice(_ request: Request, _ caller: Caller) async throws -> Response {
        try await answering(request, caller) { userCode in
            guard
                let row = try await database.query(.openDevice(userCode), as: caller).first
            else { return nil }
            return .json([
                "client": ["id": .text(try row.text("app")), "name": .text(try row.text("name"))],
                "sees": .array(AppScope.sees.map(JSONValue.text)),
                "requestedAt": .text(try row.timestamp("requested_at").description),
            ])
        }
    }

    func approveDevice(_ request: Request, _ caller: Caller) async throws -> Response {
        try await answer(request, caller, isAllowed: true)
    }

    func refuseDevice(_ request: Request, _ caller: Caller) async throws -> Response {
        try await answer(request, caller, isAllowed: false)
    }

    private func answer(
        _ request: Request, _ caller: Caller, isAllowed: Bool
    ) async throws -> Response {
        guard let token = request.bearer else { throw Problem.unauthenticated }
        return try await answering(request, caller) { userCode in
            let rows = try await database.transaction(as: caller) { session in
                try await session.query(
                    .answerDevice(userCode, isAllowed: isAllowed, by: token))
            }
            return try rows.first?.bool("is_answered") == true ? .noContent : nil
        }
    }

    /// Counts wrong codes, so that nobody finds another person's code by trying. Then right ones are refused, too:
    /// otherwise trying would go on.
    ///
    /// - Parameter body: `nil` for a wrong code.
    private func answering(
        _ request: Request, _ caller: Caller, _ body: (UserCode) async throws -> Response?
    ) async throws -> Response {
        let typed = try await request.body().text("userCode") ?? ""
        let person = caller.personID?.uuid.description ?? ""
        let address = request.http.clientAddress
        let now = Loop.current?.now ?? 0
        let seconds = max(
            userCodes.secondsToWait(person, now: now) ?? 0,
            userCodesOfAddress.secondsToWait(address, now: now) ?? 0)
        guard seconds == 0 else { throw Problem.tooManyCodes(retryAfterSeconds: seconds) }
        if let userCode = UserCode(typed: typed), let answer = try await body(userCode) {
            return answer
        }
        userCodes.count(person, now: now)
        userCodesOfAddress.count(address, now: now)
        throw Problem.unknownCode
    }
}
