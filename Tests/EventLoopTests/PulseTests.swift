import AloneKit
import EventLoop
import Glibc
import Metrics
import Synchronization
import Testing
import WaitKit

@Suite(.alone) struct PulseTests {
    @Test func `a pulse continues, reports how late it was, and ends`() async throws {
        let loop = try Loop()
        loop.start()
        defer { loop.stop() }
        let beats = Atomic(0)
        let pulse = Pulse(of: loop, everyMilliseconds: 5) {
            beats.wrappingAdd(1, ordering: .relaxed)
        }
        loop.execute { pulse.start() }
        #expect(becomes { beats.load(ordering: .relaxed) >= 3 })
        loop.execute { usleep(60_000) }
        #expect(becomes { pulse.greatestLag.value >= 50_000_000 })
        #expect(pulse.lag.tally.count >= 2)
        #expect(pulse.lag.tally.sumNanoseconds >= 50_000_000)
        await withCheckedContinuation { continuation in
            loop.execute {
                pulse.stop()
                continuation.resume()
            }
        }
        let count = beats.load(ordering: .relaxed)
        usleep(30_000)
        #expect(beats.load(ordering: .relaxed) == count)
        #expect(pulse.silence >= 30_000_000)
    }
}
