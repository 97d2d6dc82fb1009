import EventLoop
import Metrics
import Synchronization
import Testing

@Suite struct PulseTests {
    @Test func `a pulse continues, reports how late it was, and ends`() async throws {
        let loop = try Loop(time: .manual())
        loop.start()
        defer { loop.stop() }
        let beats = Atomic(0)
        let pulse = Pulse(of: loop, everyMilliseconds: 250) {
            beats.wrappingAdd(1, ordering: .relaxed)
        }
        loop.execute { pulse.start() }
        await loop.advance(milliseconds: 500)
        #expect(beats.load(ordering: .relaxed) == 3)
        #expect(pulse.greatestLag.value == 0)
        #expect(pulse.lag.tally.count == 2)
        loop.execute { loop.time.pass(milliseconds: 310) }
        await loop.advance(milliseconds: 0)
        #expect(beats.load(ordering: .relaxed) == 4)
        #expect(pulse.greatestLag.value == 60_000_000)
        #expect(pulse.lag.tally.count == 3)
        #expect(pulse.lag.tally.sumNanoseconds == 60_000_000)
        await loop.advance(milliseconds: 100)
        #expect(pulse.silence == 100_000_000)
        loop.execute { pulse.stop() }
        await loop.advance(milliseconds: 900)
        #expect(beats.load(ordering: .relaxed) == 4)
        #expect(pulse.silence == 1_000_000_000)
    }
}
