import EventLoop
import Glibc
import Testing

@testable import Server

/// How commands wait for asynchronous work.
@Suite struct WaitingForWork {
    private struct Refused: Error {}

    /// Threads of Swift's own set their priority, which no service may, and say so in its log.
    @Test func `all of it runs on the thread that waits, also after a pause elsewhere`() throws {
        let caller = UInt(pthread_self())
        let loop = try Loop()
        loop.start()
        defer { loop.stop() }
        let threads = try waitFor {
            var threads = [UInt(pthread_self())]
            await loop.spawn {}.value
            threads.append(UInt(pthread_self()))
            await withTaskGroup(of: UInt.self) { group in
                group.addTask { UInt(pthread_self()) }
                for await thread in group { threads.append(thread) }
            }
            return threads
        }
        #expect(threads == [caller, caller, caller])
    }

    @Test func `an error is thrown where it is waited for, and waits nest`() throws {
        #expect(throws: Refused.self) { try waitFor { throw Refused() } }
        #expect(try waitFor { try waitFor { 7 } } == 7)
    }
}
