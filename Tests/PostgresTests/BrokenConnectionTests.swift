import FaultyWire
import Postgres
import Testing

/// The connection to PostgreSQL breaks between any two messages of the protocol, in each way that it can.
@Suite(.timeLimit(.minutes(2))) struct BrokenConnections {
    @Test(arguments: Scenario.all)
    func `cut anywhere, nothing acknowledged is lost and nothing done twice`(
        scenario: Scenario
    ) async throws {
        let faults = try await places(of: scenario).flatMap { side, places in
            places.map { Proxy.Fault(.cut, side, after: $0) }
        }
        let told = try await inParallel(faults) { try await scenario.run($0).told }
        #expect(told.contains { if case .connectionLost? = $0 { true } else { false } })
        // Only where the commit was on its way is the outcome unknown.
        let isUnknown = told.contains(.connectionLost(mayHaveCommitted: true))
        #expect(isUnknown == scenario.commits)
    }

    @Test(arguments: [Scenario.query, .transaction, .copyOut])
    func `a connection with garbage anywhere is given up`(scenario: Scenario) async throws {
        let faults = try await (places(of: scenario)[.backend] ?? 0..<0).map {
            Proxy.Fault(.garble, .backend, after: $0)
        }
        let told = try await inParallel(faults) { fault in
            try await scenario.run(fault) { $0.answerMilliseconds = 500 }.told
        }
        #expect(told.contains { if case .connectionLost? = $0 { true } else { false } })
    }

    @Test(arguments: Scenario.all)
    func `a server that falls silent anywhere is given up`(scenario: Scenario) async throws {
        let faults = try await places(of: scenario).flatMap { side, places in
            places.map { Proxy.Fault(.stall, side, after: $0) }
        }
        let told = try await inParallel(faults) { fault in
            try await scenario.run(fault) {
                $0.answerMilliseconds = 100
                $0.sharedStatementTimeoutMilliseconds = 100
                $0.exclusiveStatementTimeoutMilliseconds = 100
            }.told
        }
        #expect(told.contains { if case .connectionLost? = $0 { true } else { false } })
    }

    @Test(arguments: [Proxy.Fault.Action.cut, .garble])
    func `connecting that breaks anywhere begins anew`(action: Proxy.Fault.Action) async throws {
        let faults = try await Self.messagesOfConnecting().flatMap { side, count in
            (0...count).map { Proxy.Fault(action, side, after: $0) }
        }
        #expect(faults.count > 15)
        _ = try await inParallel(faults.filter { action == .cut || $0.side == .backend }) {
            try await Scenario.query.run($0) { $0.answerMilliseconds = 500 }.told
        }
    }

    @Test func `a server that falls silent while it is connected to is tried again`() async throws {
        let count = try await Self.messagesOfConnecting()[.backend] ?? 0
        let faults = [0, 1, count - 1].map { Proxy.Fault(.stall, .backend, after: $0) }
        _ = try await inParallel(faults) { try await Scenario.query.run($0).told }
    }

    /// After which messages a connection that is open can break, for each side.
    private func places(of scenario: Scenario) async throws -> [Proxy.Side: Range<Int>] {
        let connected = try await Self.messagesOfConnecting()
        let whole = try await scenario.run(nil).passed
        return whole.reduce(into: [:]) { places, entry in
            places[entry.key] = (connected[entry.key] ?? 0)..<entry.value
        }
    }

    /// How many messages have passed when a connection is ready.
    private static func messagesOfConnecting() async throws -> [Proxy.Side: Int] {
        let proxy = try Proxy(to: serverFolder)
        defer { proxy.stop() }
        let url = proxy.connectionString(database: "postgres", user: "homeroom")
        return try await withPool(url, change: { $0.sharedConnections = 1 }) { pool in
            try await pool.waitUntilConnected(milliseconds: 5000)
            let connection = proxy.connections[0]
            return [
                .frontend: connection.count(.frontend), .backend: connection.count(.backend),
            ]
        }
    }

    /// Runs the body for each fault, several at a time, since they mostly wait.
    private func inParallel(
        _ faults: [Proxy.Fault],
        _ body: @escaping @Sendable (Proxy.Fault) async throws -> [PostgresError?]
    ) async throws -> [PostgresError?] {
        try await withThrowingTaskGroup(of: [PostgresError?].self) { group in
            var told: [PostgresError?] = []
            for (number, fault) in faults.enumerated() {
                if number >= 8, let more = try await group.next() { told += more }
                group.addTask { try await body(fault) }
            }
            for try await more in group { told += more }
            return told
        }
    }
}
