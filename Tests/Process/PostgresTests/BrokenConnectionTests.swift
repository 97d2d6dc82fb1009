import AloneKit
import FaultyWire
import Postgres
import Testing

/// The connection to PostgreSQL breaks between any two messages of the protocol, in every possible way.
@Suite(.timeLimit(.minutes(15))) struct BrokenConnections {
    @Test(arguments: Scenario.all)
    func `cut anywhere, nothing acknowledged is lost and nothing is done twice`(
        scenario: Scenario
    ) async throws {
        let faults = try await scenario.positions().flatMap { side, positions in
            positions.map { Proxy.Fault(.cut, side, after: $0) }
        }
        let errors = try await scenario.run(all: faults)
        #expect(errors.contains { if case .connectionLost? = $0 { true } else { false } })
        // Only while the commit was on its way is the outcome unknown.
        let isUnknown = errors.contains(.connectionLost(mayHaveCommitted: true))
        #expect(isUnknown == scenario.commits)
    }

    @Test(arguments: [Scenario.query, .transaction, .copyOut])
    func `a connection with garbage anywhere is abandoned`(scenario: Scenario) async throws {
        let faults = try await (scenario.positions()[.backend] ?? 0..<0).map {
            Proxy.Fault(.garble, .backend, after: $0)
        }
        let errors = try await scenario.run(all: faults) { $0.answerMilliseconds = 500 }
        #expect(errors.contains { if case .connectionLost? = $0 { true } else { false } })
    }

    @Test(.alone, arguments: Scenario.all)
    func `a server that falls silent anywhere is abandoned`(scenario: Scenario) async throws {
        let faults = try await scenario.positions().flatMap { side, positions in
            positions.map { Proxy.Fault(.stall, side, after: $0) }
        }
        let errors = try await scenario.run(all: faults) {
            $0.answerMilliseconds = 100
            $0.sharedStatementTimeoutMilliseconds = 100
            $0.exclusiveStatementTimeoutMilliseconds = 100
        }
        #expect(errors.contains { if case .connectionLost? = $0 { true } else { false } })
    }

    @Test(arguments: [Proxy.Fault.Action.cut, .garble])
    func `a connection attempt that breaks anywhere starts again`(action: Proxy.Fault.Action)
        async throws
    {
        let faults = try await Scenario.messagesOfConnecting().flatMap { side, count in
            (0...count).map { Proxy.Fault(action, side, after: $0) }
        }
        #expect(faults.count > 15)
        let isCut = if case .cut = action { true } else { false }
        let heard = faults.filter { isCut || $0.side == .backend }
        _ = try await Scenario.query.run(all: heard) { $0.answerMilliseconds = 500 }
    }

    @Test func `a server that falls silent during connecting is tried again`() async throws {
        let count = try await Scenario.messagesOfConnecting()[.backend] ?? 0
        let faults = [0, 1, count - 1].map { Proxy.Fault(.stall, .backend, after: $0) }
        _ = try await Scenario.query.run(all: faults)
    }
}
