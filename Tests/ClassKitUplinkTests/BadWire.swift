import ClassKitUplink
import Foundation
import Synchronization

/// A network that loses requests and answers, breaks, and delivers requests once more when they are long forgotten.
final class BadWire: Transport, TokenSource {
    private struct State {
        var dice: Dice
        var isBad: Bool
        var token = "first"
        var lost = 0
        var late = 0
        var forgotten: [HTTPCall] = []
    }

    private let server: ModelServer
    private let state: Mutex<State>

    init(server: ModelServer, seed: UInt64, isBad: Bool) {
        self.server = server
        state = Mutex(State(dice: Dice(seed: seed ^ 0xBAD), isBad: isBad))
    }

    var lost: Int { state.withLock { $0.lost } }
    var late: Int { state.withLock { $0.late } }

    func heal() { state.withLock { $0.isBad = false } }
    func breakAgain() { state.withLock { $0.isBad = true } }

    private enum Fate: CaseIterable {
        case lost, lostAnswer, repeated, late, error, busy, expired
    }

    func answer(to call: HTTPCall) async throws -> HTTPAnswer {
        let fate = state.withLock { state -> Fate? in
            guard state.isBad, state.dice.chance(0.4) else { return nil }
            let fate = Fate.allCases.randomElement(using: &state.dice)
            if fate == .lost || fate == .lostAnswer { state.lost += 1 }
            // Of contexts the last save wins: a late one is a later save.
            if fate == .late, !call.url.path().contains("contexts") {
                state.forgotten.append(call)
            }
            return fate
        }
        switch fate {
        case nil: return try await server.answer(to: call)
        case .lost, .late: throw UplinkError.network("The connection was lost.")
        case .lostAnswer:
            _ = try await server.answer(to: call)
            throw UplinkError.network("The connection was lost.")
        case .repeated:
            _ = try await server.answer(to: call)
            return try await server.answer(to: call)
        case .error: return .problem(500)
        case .busy: return .problem(429, retryAfter: 1)
        case .expired:
            server.content.withLock { $0.tokens = [expire(): "sam"] }
            return try await server.answer(to: call)
        }
    }

    /// Delivers what everybody thought was lost.
    func deliverLate() async throws {
        let calls = state.withLock { state in
            state.late += state.forgotten.count
            defer { state.forgotten = [] }
            return state.forgotten.shuffled(using: &state.dice)
        }
        for var call in calls {
            // It was under way while its token was good.
            if call.headers["Authorization"] != nil {
                call.headers["Authorization"] = "Bearer \(server.now.tokens.keys.first ?? "")"
            }
            _ = try await server.answer(to: call)
        }
    }

    /// The former token is not good any more.
    private func expire() -> String {
        state.withLock { state in
            state.token = state.token == "first" ? "second" : "first"
            return state.token
        }
    }

    // MARK: Tokens

    private let held = Mutex("first")

    func token() async throws -> AccessToken {
        AccessToken(text: held.withLock { $0 }, subject: "sam")
    }

    func renewed(after rejected: AccessToken) async throws -> AccessToken {
        let text = state.withLock { $0.token }
        held.withLock { $0 = text }
        return AccessToken(text: text, subject: "sam")
    }
}
