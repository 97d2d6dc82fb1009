import EventLoop
import Postgres
import Synchronization
import Testing
import WaitKit

@Suite struct ListenerTests {
    @Test func `notifications arrive, and a loss and its end are reported`() async throws {
        try await onLoop { loop in
            let events = Mutex<[Listener.Event]>([])
            let listener = Listener(
                Pool.Settings(databaseURL), channels: ["test_news", "test_other"], on: loop
            ) { event in events.withLock { $0.append(event) } }
            listener.start()
            defer { listener.stop() }
            try await eventually { events.withLock { $0 } == [.connected] }
            let connection = try BlockingConnection(databaseURL)
            try connection.query("select pg_notify('test_news', 'one')")
            let news = Listener.Event.notification(channel: "test_news", payload: "one")
            try await eventually { events.withLock { $0.last } == news }
            try connection.query(
                """
                select pg_terminate_backend(pid) from pg_stat_activity
                 where query = 'listen test_other'
                """)
            try await eventually { events.withLock { $0.last } == .connected }
            #expect(events.withLock { $0 } == [.connected, news, .disconnected, .connected])
        }
    }

    @Test func `a heartbeat arrives after everything committed before it`() async throws {
        try await onLoop { loop in
            let events = Mutex<[Listener.Event]>([])
            let listener = Listener(
                Pool.Settings(databaseURL), channels: ["test_pulse"],
                heartbeat: .init("select pg_notify('test_pulse', 'beat')", everyMilliseconds: 5),
                on: loop
            ) { event in events.withLock { $0.append(event) } }
            listener.start()
            defer { listener.stop() }
            try await eventually { events.withLock { $0.contains(.connected) } }
            let connection = try BlockingConnection(databaseURL)
            for number in 0..<20 {
                try connection.query("select pg_notify('test_pulse', \("\(number)"))")
                let committedAt = loop.now
                await pause(milliseconds: 1)
                try await eventually {
                    events.withLock { events in
                        events.contains {
                            if case .heartbeat(let sentAt) = $0 {
                                sentAt > committedAt
                            } else {
                                false
                            }
                        }
                    }
                }
                let seen = events.withLock { $0 }
                #expect(
                    seen.contains(.notification(channel: "test_pulse", payload: "\(number)")))
                events.withLock { $0.removeAll { if case .heartbeat = $0 { true } else { false } } }
            }
        }
    }
}
