import Foundation

extension Uplink {
    /// Makes a call in the name of the person whose queue this is.
    ///
    /// - Parameter key: with which it takes effect once, however often it arrives.
    /// - Returns: an answer that is about the call itself. Others are obstacles.
    func call(
        _ method: String, _ path: String, query: [(String, String)] = [], body: Data? = nil,
        contentType: String = "application/json", key: String? = nil
    ) async throws -> HTTPAnswer {
        let url = configuration.address(path, query: query)
        let token = try await token { try await tokens.token() }
        var headers = ["Accept": "*/*"]
        if body != nil { headers["Content-Type"] = contentType }
        if let key { headers["Idempotency-Key"] = key }
        let call = HTTPCall(method, url, headers: headers, body: body)
        var answer = try await send(call, token)
        if answer.status == 401 {
            let renewed = try await self.token { try await tokens.renewed(after: token) }
            answer = try await send(call, renewed)
        }
        switch answer.status {
        case 401: throw Obstacle.blocked(.signInNeeded)
        case 403: throw Obstacle.blocked(Self.notice(answer))
        case 408, 425, 429, 500...: throw Self.pause(answer)
        default: return answer
        }
    }

    /// A token of this queue's person and of nobody else.
    private func token(
        _ get: () async throws -> AccessToken
    ) async throws -> AccessToken {
        let token: AccessToken
        do {
            token = try await get()
        } catch UplinkError.signedOut {
            throw Obstacle.blocked(.signInNeeded)
        } catch UplinkError.network(let reason) {
            throw Obstacle.pause(reason: reason, retryAfter: nil)
        }
        guard token.subject == outbox.subject else { throw Obstacle.blocked(.otherPerson) }
        return token
    }

    private func send(_ call: HTTPCall, _ token: AccessToken) async throws -> HTTPAnswer {
        var call = call
        call.headers["Authorization"] = "Bearer \(token.text)"
        return try await perform(call)
    }

    /// Makes a call and learns the time from its answer.
    func perform(_ call: HTTPCall) async throws -> HTTPAnswer {
        let before = clock.now
        let answer: HTTPAnswer
        do {
            answer = try await transport.answer(to: call)
        } catch UplinkError.network(let reason) {
            throw Obstacle.pause(reason: reason, retryAfter: nil)
        } catch UplinkError.configuration(let reason) {
            throw Obstacle.blocked(.refused(reason))
        }
        if let date = answer.headers["date"].flatMap(ServerClock.date) {
            let after = clock.now
            var learned = try await knownClock()
            learned.learn(date, from: before, to: after)
            serverClock = learned
        }
        return answer
    }

    /// The kept clock, or a new one.
    func knownClock() async throws -> ServerClock {
        if let serverClock { return serverClock }
        let kept = try await outbox.state(Self.clockState).flatMap {
            try? JSON.decode(ServerClock.self, from: $0)
        }
        keptClock = kept
        return serverClock ?? kept ?? ServerClock(bootID: clock.now.bootID)
    }

    /// Keeps what the clock has learned: the next process may have to send before it has heard from the server.
    func keepClock() async throws {
        guard let serverClock, serverClock != keptClock else { return }
        try await outbox.keep(JSON.encode(serverClock), as: Self.clockState)
        keptClock = serverClock
    }

    private static let clockState = "clock"

    static func pause(_ answer: HTTPAnswer) -> Obstacle {
        let seconds = answer.headers["retry-after"].flatMap { Double($0) }
        return .pause(
            reason: "The server answered \(answer.status).",
            retryAfter: seconds.map { max(0, min($0, 86_400)) })
    }

    private static func notice(_ answer: HTTPAnswer) -> UplinkNotice {
        let problem = Problem(answer)
        return problem.code == "password_must_change"
            ? .passwordMustChange
            : .refused(problem.detail ?? problem.title ?? "The server answered 403.")
    }
}

/// An error as the server describes it (RFC 9457).
struct Problem: Decodable {
    struct Invalid: Decodable {
        let pointer: String?
        let code: String?
        let detail: String?
    }

    var code: String?
    var title: String?
    var detail: String?
    var errors: [Invalid]?

    /// What can be read of it.
    init(_ answer: HTTPAnswer) {
        if let problem = try? JSON.decode(Problem.self, from: answer.body) { self = problem }
    }
}
