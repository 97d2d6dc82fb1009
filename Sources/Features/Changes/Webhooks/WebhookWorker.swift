import EventLoop
import HTTPClient
import Log
import Postgres
import School
import Synchronization
import Values

/// Calls webhooks while requests are served, on a connection of its own; each process has one worker.
///
/// It looks every second for what is due. Several processes share the work: each claims webhooks for a minute
/// (`claim_webhook_calls()`), so that a delivery is sent again if the process dies. No transaction is open during a
/// call. Apart from `nudge`, it is confined to the loop that starts it.
final class WebhookWorker: @unchecked Sendable {
    private static let pollMilliseconds = 1000
    static let callsMax = 32
    /// Receivers that do not answer take ten seconds each; they leave room for the others.
    private static let failingMax = 16

    private let database: Database
    private let client: any OutgoingCalls
    private let key: CredentialKey
    private let log: Log?
    private let isNudged = Atomic(false)
    private let home = Mutex<Loop?>(nil)

    private var pool: Pool?
    private var timer: LoopTimer?
    private var isClaiming = false
    private var calls = 0
    private var failingCalls = 0
    /// Whether it was logged that nothing can be claimed.
    private var isLogged = false

    init(database: Database, client: any OutgoingCalls, key: CredentialKey, log: Log?) {
        self.database = database
        self.client = client
        self.key = key
        self.log = log
    }

    /// Signals that there is something to send; call from any thread.
    func nudge() {
        isNudged.store(true, ordering: .releasing)
        guard let loop = home.withLock({ $0 }) else { return }
        loop.execute { self.wake() }
    }

    // MARK: In a running service

    func start() {
        guard let loop = Loop.current, pool == nil else { return }
        let settings = Pool.Settings.working(in: database.target, connections: 1)
        let pool = Pool(settings, on: loop, log: log)
        pool.start()
        self.pool = pool
        home.withLock { $0 = loop }
        poll(on: loop)
    }

    func stop() {
        home.withLock { $0 = nil }
        timer?.cancel()
        timer = nil
        pool?.close()
        pool = nil
    }

    private func poll(on loop: Loop) {
        timer = loop.schedule(afterMilliseconds: Self.pollMilliseconds) {
            self.poll(on: loop)
            self.wake()
        }
    }

    /// Claims as many calls as there is room for, and makes them.
    private func wake() {
        guard let pool, !isClaiming, calls < Self.callsMax else { return }
        isClaiming = true
        pool.loop.spawn {
            let claimed = await self.claim(pool)
            self.isClaiming = false
            for call in claimed { self.begin(call, pool) }
        }
    }

    private func claim(_ pool: Pool) async -> [WebhookCall] {
        let (room, failing) = (Self.callsMax - calls, max(0, Self.failingMax - failingCalls))
        do {
            let rows = try await pool.withSession { session in
                try await session.query(.claimWebhookCalls(room, failing: failing))
            }
            let claimed = try await calls(rows)
            isLogged = false
            return claimed
        } catch {
            guard self.pool != nil, !isLogged else { return [] }
            isLogged = true
            log?.error("webhooks wait", ["cause": .text(logText(of: error))])
            return []
        }
    }

    private func calls(_ rows: Rows) async throws -> [WebhookCall] {
        guard rows.count > 0 else { return [] }
        let key = try await key.toOpen()
        return try rows.map { try WebhookCall($0, key) }
    }

    private func begin(_ call: WebhookCall, _ pool: Pool) {
        calls += 1
        if call.isFailing { failingCalls += 1 }
        pool.loop.spawn {
            let outcome = await call.send(with: self.client, now: self.database.clock.now)
            await self.note(outcome, of: call, pool)
            self.calls -= 1
            if call.isFailing { self.failingCalls -= 1 }
            self.wake()
        }
    }

    /// If this fails, the claim ends by itself, and the delivery is sent again.
    private func note(_ outcome: WebhookOutcome, of call: WebhookCall, _ pool: Pool) async {
        do {
            try await pool.withSession { session in
                _ = try await session.query(.finish(call, with: outcome))
            }
        } catch {
            guard self.pool != nil else { return }
            log?.warning(
                "webhook call not noted",
                ["delivery_id": .uuid(call.deliveryID), "cause": .text(logText(of: error))])
        }
    }

    // MARK: Without a running service

    /// Sends everything that is due if no running service does and a request asked for it.
    func settle() async throws {
        guard isNudged.load(ordering: .acquiring) else { return }
        while true {
            let rows = try await database.withSession { session in
                try await session.query(
                    .claimWebhookCalls(Self.callsMax, failing: Self.callsMax))
            }
            guard rows.count > 0 else { return }
            for call in try await calls(rows) {
                let outcome = await call.send(with: client, now: database.clock.now)
                try await database.withSession { session in
                    _ = try await session.query(.finish(call, with: outcome))
                }
            }
        }
    }
}
