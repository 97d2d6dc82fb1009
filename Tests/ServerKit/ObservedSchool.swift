import HTTPServer
import Log
import Postgres
import TestKit
import Testing
import WaitKit

@testable import Server

/// Serves a school on two loops of its own, with a listener for the metrics; the body gets clients of both.
func withObservedSchool(
    schema: SchemaVersion? = nil, http: HTTPServerSettings = HTTPServerSettings(), log: Log? = nil,
    database: String? = nil, comparesRules: Bool = false,
    before: (TestSchool) throws -> Void = { _ in },
    _ body: (TestSchool, LiveClient, LiveClient) async throws -> Void
) async throws {
    try await withSchool { school in
        try before(school)
        let database = database ?? school.ownerURL + " user=school_server"
        let serving = try await Serving(
            database: database,
            listener: try ListeningSocket.bind(address: "127.0.0.1", port: 0),
            metrics: try ListeningSocket.bind(address: "127.0.0.1", port: 0), loops: 2,
            schema: schema,
            rules: comparesRules
                ? RulesWatch(folder: TestDatabase.sqlFolder, database: database, log: log) : nil,
            passwordCost: .ofTests, http: http, log: log)
        try await serving.start()
        let port = try #require(serving.metricsPort)
        let outcome: Result<Void, any Error>
        do {
            try await body(school, LiveClient(port: serving.port), LiveClient(port: port))
            outcome = .success(())
        } catch {
            outcome = .failure(error)
        }
        await serving.shutdown()
        try outcome.get()
    }
}

extension MetricsPage {
    /// What a server exports now.
    init(of metrics: LiveClient) throws {
        let answer = try #require(metrics.get("/metrics"))
        try self.init(parsing: answer.body)
    }

    /// What a server exports once it has a sample of that name with that value.
    init(of metrics: LiveClient, when name: String, is value: Double) async throws {
        self = try await awaited(until: { (try? $0.value(name)) == value }) {
            try MetricsPage(of: metrics)
        }
    }
}
