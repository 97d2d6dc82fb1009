import ClassKitUplink
import Foundation

/// The clocks of the device.
package protocol DeviceClocks: Sendable {
    var now: Moment { get }
    /// Seconds in which the device was awake, since any point in time.
    var awake: Double { get }
}

/// The clocks of Linux.
package struct LinuxClocks: DeviceClocks {
    package init() {}

    package var now: Moment { .now }

    /// Unlike CLOCK_BOOTTIME, this clock stands still while the device sleeps.
    package var awake: Double { seconds(CLOCK_MONOTONIC) }

    private func seconds(_ clock: clockid_t) -> Double {
        var time = timespec()
        clock_gettime(clock, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
