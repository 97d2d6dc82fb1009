import API
import Crypto
import EventLoop
import Glibc
import HTTPClient
import HTTPServer
import HTTPWire
import JSONBytes
import Log
import Postgres
import School
import Server
import Synchronization
import Testing
import Values

/// The whole service over a database of its own, called in-process.
///
/// Every answer is compared with the API document that the service publishes.
package final class TestSchool: Sendable {
    package let hillside = TestIDs.hillside
    package let elsewhere = TestIDs.elsewhere
    package let mainLocation = TestIDs.mainLocation
    package let biology = TestIDs.biology
    package let chemistry = TestIDs.chemistry
    package let quizzler = TestIDs.quizzler

    /// The clock of the service.
    package let time = VirtualTime()
    package let database: Database
    package let features: [any Feature]
    /// What a command would set as HOMEROOM_DATABASE_URL, for the superuser.
    package let ownerURL: String
    /// Where reports and lists are read, if the test asked for it.
    package let replica: Replica?
    /// The file of the key with which client secrets are sealed, once there is one.
    package let credentialsKey: String
    private let service: Service
    private let router: Router<String>
    private let checker: DocumentChecker
    private let owner: Mutex<BlockingConnection>
    private let loop: Loop
    let pool: Pool

    /// - Parameter kept: a pool whose connections stay open after the test; with `nil` the service opens its own.
    init(
        _ databases: TestDatabase, name: String, owner: BlockingConnection, over kept: Pool? = nil,
        on loop: Loop, requestsPerSecond: Int, client: any OutgoingCalls,
        sources: any BlockingCalls
    ) async throws {
        self.loop = loop
        let url = databases.url(name, user: "school_server")
        if let kept {
            pool = Pool(over: kept, target: url)
        } else {
            pool = await Self.pool(at: url, on: loop)
        }
        replica = await TestSchool.replica(
            at: databases.replicaURL(name, user: "school_server"), following: pool, on: loop)
        database = Database(
            pools: [pool], replicas: replica.map { [$0] } ?? [], clock: time.clock)
        credentialsKey = "/tmp/homeroom-\(UUID.v7()).key"
        features = allFeatures(
            database: database, client: client, webhookClient: client, toolClient: client,
            sources: sources, credentialsKey: credentialsKey, passwordCost: .ofTests)
        let cache = TokenCache(loop: loop)
        service = Service(
            features: features, database: database,
            authenticator: Authenticator(
                database: database, caches: [cache],
                limit: RequestLimit(requestsPerSecond: requestsPerSecond)), log: nil)
        (router, checker) = Documentation.shared(by: features)
        ownerURL = databases.url(name, user: nil)
        self.owner = Mutex(owner)
    }

    /// The service's connections.
    static func pool(at url: String, on loop: Loop) async -> Pool {
        await loop.run {
            var settings = Pool.Settings(url)
            settings.sharedConnections = 1
            settings.exclusiveConnections = 3
            // A machine that runs all tests at once is slow, and no test is about that.
            settings.sharedStatementTimeoutMilliseconds = 10_000
            settings.exclusiveStatementTimeoutMilliseconds = 60_000
            settings.queueMilliseconds = 30_000
            // Nor does any of them have to share the few connections with somebody else.
            settings.isShared = false
            settings.subjectQueueLimit = settings.queueLimit
            settings.largeQueueLimit = settings.queueLimit
            settings.largeSubjectQueueLimit = settings.queueLimit
            let pool = Pool(settings, on: loop)
            pool.start()
            return pool
        }
    }

    // MARK: Asking

    package func get(
        _ path: String, as persona: Persona?, headers: [(String, String)] = []
    ) async throws -> Answer {
        try await send("GET", path, as: persona, headers: headers)
    }

    package func post(
        _ path: String, as persona: Persona?, json: JSONValue? = nil,
        headers: [(String, String)] = []
    ) async throws -> Answer {
        try await send("POST", path, as: persona, body: json?.bytes ?? [], headers: headers)
    }

    package func put(
        _ path: String, as persona: Persona?, json: JSONValue? = nil,
        headers: [(String, String)] = []
    ) async throws -> Answer {
        try await send("PUT", path, as: persona, body: json?.bytes ?? [], headers: headers)
    }

    package func patch(
        _ path: String, as persona: Persona?, json: JSONValue? = nil,
        headers: [(String, String)] = []
    ) async throws -> Answer {
        try await send("PATCH", path, as: persona, body: json?.bytes ?? [], headers: headers)
    }

    package func delete(
        _ path: String, as persona: Persona?, headers: [(String, String)] = []
    ) async throws -> Answer {
        try await send("DELETE", path, as: persona, headers: headers)
    }

    /// Sends any request and compares the answer with the API document.
    package func send(
        _ method: HTTPMethod, _ target: String, as persona: Persona?, body: [UInt8] = [],
        headers: [(String, String)] = []
    ) async throws -> Answer {
        try await send(method, target, token: persona?.token, body: body, headers: headers)
    }

    /// The same with any access token, from any address. Work that the request leaves for later is done when it
    /// returns, unless the test says otherwise.
    package func send(
        _ method: HTTPMethod, _ target: String, token: String?, body: [UInt8] = [],
        headers: [(String, String)] = [], from address: String = "127.0.0.1",
        settling: Bool = true
    ) async throws -> Answer {
        var fields = headers.map { (name: $0.0, value: $0.1) }
        if let token { fields.append((name: "Authorization", value: "Bearer \(token)")) }
        let request = try HTTPRequest(
            method: method, target: target, headers: fields, body: body, clientAddress: address)
        let service = service
        let outcome = await loop.run { () async -> Result<Answer, any Error> in
            let response = await service.answer(request)
            do {
                let body = try await response.wholeBody()
                return .success(
                    Answer(status: response.status, headers: response.headers, body: body))
            } catch {
                return .failure(error)
            }
        }
        if settling { try await storeUploads() }
        let answer = try outcome.get()
        check(answer, request)
        return answer
    }

    /// Another service over the same database, which pages of other origins may call.
    package func service(crossOrigin: CrossOrigin?) -> Service {
        Service(
            features: features, database: database,
            authenticator: Authenticator(
                database: database, caches: [TokenCache(loop: loop)]),
            crossOrigin: crossOrigin, log: nil)
    }

    /// Lets the service begin to answer a request; cancelling the task is what a client does who hangs up.
    package func begin(_ request: HTTPRequest) -> Task<Void, Never> {
        let service = service
        return loop.spawn { _ = await service.answer(request) }
    }

    /// Lets the service answer a request as it is; the answer is not compared with the API document.
    package func answer(_ request: HTTPRequest) async -> HTTPResponse {
        await service.answer(request)
    }

    /// Does the work that requests left for later, as a running server would on its own.
    package func storeUploads() async throws {
        let features = features
        let outcome = await loop.run { () async -> Result<Void, any Error> in
            do {
                for feature in features { try await feature.settle() }
                return .success(())
            } catch {
                return .failure(error)
            }
        }
        try outcome.get()
    }

    /// The path pattern of the call that a request makes; `nil` if there is no such call.
    package func pattern(_ method: HTTPMethod, _ segments: [String]) -> String? {
        guard case .found(let path, _) = router.match(method, segments) else { return nil }
        return path
    }

    private func check(_ answer: Answer, _ request: HTTPRequest) {
        guard let path = pattern(request.method, request.segments) else { return }
        // Elsewhere a standard says what is left out.
        let isPartial =
            answer.status == 200 && path.hasPrefix("/v1/") && request.query["fields"] != nil
        let findings = checker.findings(
            method: request.method.name, path: path, answer, isPartial: isPartial)
        for finding in findings { Issue.record("not as documented: \(finding)") }
    }

    /// Closes the service's connections to the database.
    func close() async {
        let (pool, replica, features) = (pool, replica, features)
        await loop.run {
            // A worker that goes on would take up what the next test puts into the same database.
            for feature in features { feature.stop() }
            replica?.close()
            pool.close()
        }
        unlink(credentialsKey)
    }

    /// Runs the body on the loop that the service runs on.
    package func onItsLoop<Value: Sendable>(
        _ body: @escaping @Sendable () async -> Value
    ) async -> Value {
        await loop.run(body)
    }

    /// Lets the minute pass during which equal denials are counted.
    package func finishCounting() async {
        let service = service
        await loop.run { await service.finishCounting() }
    }

    // MARK: Bypassing every policy

    /// Asks as the superuser: what is there, whoever may see it.
    @discardableResult
    package func sql(_ statement: Statement) throws -> Rows {
        try owner.withLock { try $0.query(statement) }
    }

    /// Asks the database directly as a standing, under its policies.
    @discardableResult
    package func sql(_ statement: Statement, as caller: Caller) throws -> Rows {
        try owner.withLock { try $0.query(statement, as: caller.identity) }
    }

    /// The caller that a persona's token makes.
    package func caller(_ persona: Persona) -> Caller {
        let standings = persona.fixedStanding.map { [$0] } ?? persona.roles
        return Caller(
            organizationID: persona.isElsewhere ? elsewhere : hillside,
            personID: persona.person?.personID, standings: standings,
            app: persona.fixedStanding == .app ? quizzler : nil)
    }

    package func id(_ persona: Persona) -> PersonID { persona.personID }
    package func token(_ persona: Persona) -> String { persona.token }
}
