package import ClassKitUplink
package import Foundation
import Synchronization

/// A network that loses requests and answers, breaks, and delivers requests once more when they are long forgotten.
package final class BadWire: Transport, TokenSource {
    private struct State {
        var dice: Dice
        var isBad: Bool
        /// Which of the tokens is good.
        var good = 0
        var lost = 0
        var late = 0
        var forgotten: [HTTPCall] = []
    }

    private let server: any SimulatedServer
    private let tokens: [String]
    private let subject: String
    private let state: Mutex<State>

    init(server: any SimulatedServer, seed: UInt64, isBad: Bool) {
        self.server = server
        tokens = server.tokens
        subject = server.subject
        state = Mutex(State(dice: Dice(seed: seed ^ 0xBAD), isBad: isBad))
    }

    package var lost: Int { state.withLock { $0.lost } }
    package var late: Int { state.withLock { $0.late } }

    func heal() { state.withLock { $0.isBad = false } }
    func breakAgain() { state.withLock { $0.isBad = true } }

    private enum Fate: CaseIterable {
        case lost, lostAnswer, repeated, late, error, busy, expired
    }

    package func answer(to call: HTTPCall) async throws -> HTTPAnswer {
        let fate = state.withLock { state -> Fate? in
            guard state.isBad, state.dice.chance(0.4) else { return nil }
            var fate = Fate.allCases.randomElement(using: &state.dice)
            // Calls that need no token ask for the time.
            if fate == .expired, call.headers["Authorization"] == nil { fate = nil }
            if fate == .lost || fate == .lostAnswer { state.lost += 1 }
            if fate == .late { state.forgotten.append(call) }
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
        case .error: return HTTPAnswer(status: 500)
        case .busy: return HTTPAnswer(status: 429, headers: ["Retry-After": "1"])
        case .expired:
            expire()
            return HTTPAnswer(status: 401)
        }
    }

    /// Delivers what everybody thought was lost.
    func deliverLate() async throws {
        let calls = state.withLock { state in
            state.late += state.forgotten.count
            defer { state.forgotten = [] }
            return state.forgotten.shuffled(using: &state.dice)
        }
        for call in calls { _ = try await server.answer(to: call) }
    }

    /// The former token is not good any more.
    private func expire() {
        state.withLock { $0.good = ($0.good + 1) % tokens.count }
    }

    // MARK: Tokens

    private let held = Mutex(0)

    package func token() async throws -> AccessToken {
        AccessToken(text: tokens[held.withLock { $0 }], subject: subject)
    }

    package func renewed(after rejected: AccessToken) async throws -> AccessToken {
        let good = state.withLock { $0.good }
        held.withLock { $0 = good }
        return AccessToken(text: tokens[good], subject: subject)
    }
}

/// A server whose clock a simulation sets.
package protocol SimulatedServer: Transport {
    /// Tokens of one person, any of which it takes.
    var tokens: [String] { get }
    /// Whose they are.
    var subject: String { get }
    /// Its clock.
    var time: Date { get }
    /// Lets time pass.
    func pass(_ seconds: Double)
}
