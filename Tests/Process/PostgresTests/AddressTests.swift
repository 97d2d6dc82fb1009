import AloneKit
import EventLoop
import FaultyWire
import Postgres
import Testing
import WaitKit

/// Addresses of PostgreSQL, which libpq reads.
@Suite(.timeLimit(.minutes(15))) struct Addresses {
    @Test func `a host name is looked up anew for each attempt`() async throws {
        let proxy = try Proxy(to: serverFolder, address: "127.0.0.1")
        defer { proxy.stop() }
        let url = target("localhost", proxy)
        try await withPool(url, change: { $0.sharedConnections = 1 }) { pool in
            expectOne(try await pool.query("select 1 as v", as: nil))
            proxy.cut()
            try await eventually {
                await failure { _ = try await pool.query("select 1 as v", as: nil) } == nil
            }
            #expect(proxy.connections.count == 2)
        }
    }

    @Test func `of several hosts and addresses the one that answers is used`() async throws {
        let proxy = try Proxy(to: serverFolder, address: "::1")
        defer { proxy.stop() }
        let url = target("nowhere.invalid,127.0.0.1,::1", proxy) + " target_session_attrs=primary"
        try await withPool(url) { pool in
            let rows = try await pool.query("select 1 as v", as: nil)
            #expect(rows.count == 1)
        }
    }

    @Test(
        .alone,
        arguments: [
            ("nowhere.invalid", "", "nowhere.invalid"),
            ("127.0.0.1", " target_session_attrs=standby", "not in hot standby"),
        ])
    func `where none can be used the reason is reported, and the loop goes on`(
        host: String, more: String, reason: String
    ) async throws {
        let proxy = try Proxy(to: serverFolder, address: "127.0.0.1")
        defer { proxy.stop() }
        let url = target(host, proxy) + more
        try await withPool(url, change: { $0.queueMilliseconds = 500 }) { pool in
            async let answer = failure { _ = try await pool.query("select 1", as: nil) }
            var turns = 0
            let since = pool.loop.now
            while pool.loop.now - since < 400_000_000 {
                await pause(milliseconds: 10)
                turns += 1
            }
            #expect(turns > 5)
            guard case .unavailable(let text)? = await answer else {
                Issue.record("an answer from nowhere")
                return
            }
            #expect(text.contains(reason))
        }
    }

    @Test(.alone) func `a silent address delays nobody else`() async throws {
        let proxy = try Proxy(to: serverFolder, address: "127.0.0.1")
        defer { proxy.stop() }
        proxy.hold()
        try await withPool(target("localhost", proxy), change: { $0.queueMilliseconds = 100 }) {
            pool in
            let error = await failure { _ = try await pool.query("select 1", as: nil) }
            guard case .unavailable? = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            proxy.release()
            try await pool.waitUntilConnected(milliseconds: 10_000)
            expectOne(try await pool.query("select 1 as v", as: nil))
        }
    }

    private func target(_ host: String, _ proxy: Proxy) -> String {
        "host=\(host) port=\(proxy.port) dbname=postgres user=homeroom sslmode=disable "
            + "gssencmode=disable connect_timeout=2"
    }
}
