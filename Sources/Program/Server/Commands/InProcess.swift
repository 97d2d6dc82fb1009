import Crypto
import EventLoop
import HTTPServer
import HTTPWire
import Log
import Postgres
import School
import Values

/// The service without its HTTP server, for commands that act through the service's own calls.
final class InProcess: Sendable {
    private let loop: Loop
    private let pool: Pool
    private let service: Service
    private let features: [any Feature]
    let database: Database

    /// Starts a loop and connects.
    ///
    /// - Parameters:
    ///   - target: the database, as the server's login.
    ///   - passwordCost: at which passwords are hashed.
    init(target: String, passwordCost: PasswordCost, log: Log) throws {
        loop = try Loop()
        loop.start()
        var settings = Pool.Settings(target)
        // Nothing queues behind these statements, and the machine may be busy with a build.
        settings.sharedStatementTimeoutMilliseconds = 30_000
        pool = Pool(settings, on: loop, log: log)
        database = Database(pools: [pool], clock: .system)
        // No log for background work: it is stopped while it waits for more.
        features = allFeatures(database: database, passwordCost: passwordCost)
        service = Service(
            features: features, database: database,
            authenticator: Authenticator(database: database, caches: [TokenCache(loop: loop)]),
            log: log)
    }

    /// Runs the body on the loop and blocks the calling thread until it ends.
    func run<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) throws -> Value
    {
        let (loop, pool) = (loop, pool)
        return try waitFor {
            let outcome = await withCheckedContinuation { continuation in
                loop.spawn {
                    pool.start()
                    let outcome: Result<Value, any Error>
                    do { outcome = .success(try await body()) } catch { outcome = .failure(error) }
                    continuation.resume(returning: outcome)
                }
            }
            return try outcome.get()
        }
    }

    /// Answers a request as the server would and waits for the work it leaves behind; call only on the loop.
    func send(
        _ method: HTTPMethod, _ target: String, token: String?, body: [UInt8], type: String
    ) async throws -> (status: Int, body: [UInt8]) {
        var headers: [(name: String, value: String)] = []
        if let token { headers.append((name: "Authorization", value: "Bearer \(token)")) }
        if !body.isEmpty { headers.append((name: "Content-Type", value: type)) }
        let request = try HTTPRequest(method: method, target: target, headers: headers, body: body)
        let response = await service.answer(request)
        let whole = try await response.wholeBody()
        for feature in features { try await feature.settle() }
        return (response.status, whole)
    }

    /// Closes the connections.
    func close() {
        let (loop, pool) = (loop, pool)
        try? waitFor {
            await withCheckedContinuation { continuation in
                loop.execute {
                    pool.close()
                    continuation.resume()
                }
            }
        }
        loop.stop()
    }
}
