import FaultyWire
import Postgres
import Testing
import WaitKit

extension Scenario {
    /// After which messages an open connection can break, for each side.
    func positions() async throws -> [Proxy.Side: Range<Int>] {
        let connected = try await Self.messagesOfConnecting()
        let whole = try await run(nil).passed
        return whole.reduce(into: [:]) { positions, entry in
            positions[entry.key] = (connected[entry.key] ?? 0)..<entry.value
        }
    }

    /// How many messages have passed when a connection is ready.
    static func messagesOfConnecting() async throws -> [Proxy.Side: Int] {
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

    /// Runs it with each fault, several at a time, since they mostly wait; returns what the callers got.
    func run(
        all faults: [Proxy.Fault],
        change: @escaping @Sendable (inout Pool.Settings) -> Void = { _ in }
    ) async throws -> [PostgresError?] {
        try await withThrowingTaskGroup(of: [PostgresError?].self) { group in
            var errors: [PostgresError?] = []
            for (number, fault) in faults.enumerated() {
                if number >= 8, let more = try await group.next() { errors += more }
                group.addTask { try await run(fault, change: change).errors }
            }
            for try await more in group { errors += more }
            return errors
        }
    }

    /// Runs it over a proxy, perhaps with a fault; judges what the database holds afterwards, and waits until the pool
    /// serves again.
    ///
    /// - Returns: how many messages passed over the first connection, and what the callers got.
    @discardableResult
    func run(
        _ fault: Proxy.Fault?, change: @escaping @Sendable (inout Pool.Settings) -> Void = { _ in }
    ) async throws -> (passed: [Proxy.Side: Int], errors: [PostgresError?]) {
        try Self.table.get()
        let proxy = try Proxy(to: serverFolder, fault: fault)
        defer { proxy.stop() }
        let url = proxy.connectionString(database: "postgres", user: "homeroom")
        let unit = uniqueName("u")
        let lane = lane
        let work = work
        let outcomes = try await withPool(
            url,
            change: {
                $0.sharedConnections = lane == .shared ? 1 : 0
                $0.exclusiveConnections = lane == .exclusive ? 1 : 0
                change(&$0)
            }
        ) { pool in
            let outcomes = await work(pool, unit)
            try await eventually { await Self.probe(pool, lane) == nil }
            return outcomes
        }
        for outcome in outcomes { try judge(outcome, fault) }
        let first = proxy.connections[0]
        let passed = [Proxy.Side.frontend: first.count(.frontend), .backend: first.count(.backend)]
        return (passed, outcomes.map(\.error))
    }

    private static func probe(_ pool: Pool, _ lane: Lane) async -> PostgresError? {
        await failure {
            switch lane {
            case .shared: _ = try await pool.query("select 1", as: nil)
            case .exclusive:
                try await pool.withSession { _ = try await $0.query("select 1") }
            }
        }
    }

    /// Compares what the caller got with what is there.
    private func judge(_ outcome: Outcome, _ fault: Proxy.Fault?) throws {
        let count = try BlockingConnection(databaseURL).query(
            "select count(*) as n from trace where unit = \(outcome.unit)")[0].int("n")
        let label: Comment = "\(testDescription), \(fault?.description ?? "no fault")"
        switch outcome.error {
        case nil: #expect(count == rows, label)
        case .connectionLost(mayHaveCommitted: true)?: #expect([0, rows].contains(count), label)
        case .connectionLost(mayHaveCommitted: false)?, .unavailable?, .busy?:
            #expect(count == 0, label)
        // On a busy machine, too, the database's own clock may be the first to run out.
        case .server(let failure)? where failure.sqlState == "57014": #expect(count == 0, label)
        case let other?: Issue.record("\(label): \(other)")
        }
        if fault == nil { #expect(outcome.error == nil) }
    }
}
