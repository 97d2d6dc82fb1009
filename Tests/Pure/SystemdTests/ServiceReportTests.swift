import AloneKit
import EventLoop
import Glibc
import Metrics
import NotifyKit
import Systemd
import Testing

@Suite struct ServiceReports {
    @Test(arguments: [true, false])
    func `a service reports that it starts, is ready, reloads and stops`(isAbstract: Bool) throws {
        let listener = NotifyListener(isAbstract: isAbstract)
        let report = try ServiceReport(ServiceEnvironment(["NOTIFY_SOCKET": listener.path]))
        report.starting()
        #expect(listener.next() == "EXTEND_TIMEOUT_USEC=30000000\nSTATUS=Opens the database.")
        report.ready(watching: [])
        #expect(listener.next() == "READY=1\nSTATUS=Serves.")
        report.reloading()
        #expect(listener.next()?.hasPrefix("RELOADING=1\nMONOTONIC_USEC=") == true)
        report.reloaded()
        #expect(listener.next() == "READY=1")
        report.stopping()
        #expect(listener.next() == "STOPPING=1\nSTATUS=Answers what is in flight.")
        #expect(listener.next(milliseconds: 100) == nil, "nobody asked for a watchdog")
    }

    @Test func `a service that waits says what for, and asks for time again`() throws {
        let listener = NotifyListener(isAbstract: true)
        let report = try ServiceReport(ServiceEnvironment(["NOTIFY_SOCKET": listener.path]))
        report.starting()
        #expect(listener.next() == "EXTEND_TIMEOUT_USEC=30000000\nSTATUS=Opens the database.")
        report.waiting("Waits for rain.")
        report.waiting("Waits for rain.")
        #expect(listener.next() == "EXTEND_TIMEOUT_USEC=30000000\nSTATUS=Waits for rain.")
        report.starting()
        #expect(listener.next() == "EXTEND_TIMEOUT_USEC=30000000\nSTATUS=Opens the database.")
        report.ready(watching: [])
        #expect(listener.next() == "READY=1\nSTATUS=Serves.")
    }

    @Test(.alone) func `the watchdog hears nothing while one loop is stuck, and again afterwards`()
        async throws
    {
        let listener = NotifyListener(isAbstract: true)
        let loops = try (0..<2).map { try Loop(index: $0) }
        for loop in loops { loop.start() }
        defer { for loop in loops { loop.stop() } }
        let pulses = loops.map { Pulse(of: $0, everyMilliseconds: 50) }
        for pulse in pulses { pulse.loop.execute { pulse.start() } }
        let report = try ServiceReport(
            ServiceEnvironment(["NOTIFY_SOCKET": listener.path, "WATCHDOG_USEC": "2000000"]))
        report.ready(watching: pulses)
        #expect(listener.next() == "READY=1\nSTATUS=Serves.")
        #expect(listener.next() == "WATCHDOG=1")

        let release = Semaphore()
        loops[1].execute { release.wait() }
        // Until the silence exceeds half the watchdog's time, it may still be notified.
        usleep(1_100_000)
        listener.forget()
        #expect(listener.next(milliseconds: 2200) == nil, "a watchdog would have bitten")
        #expect(pulses[1].silence > 3_000_000_000)
        release.signal()
        #expect(listener.next() == "WATCHDOG=1")
        #expect(pulses[1].greatestLag.value > 3_000_000_000)
    }

    @Test func `nothing is reported where nothing asked for it`() throws {
        for variables in [[:], ["NOTIFY_SOCKET": "relative"], ["WATCHDOG_USEC": "1000"]] {
            let report = try ServiceReport(ServiceEnvironment(variables))
            report.starting()
            report.ready(watching: [])
            report.stopping()
            #expect(ServiceEnvironment(variables).notify == nil)
        }
    }
}
