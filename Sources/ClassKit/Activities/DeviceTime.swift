import Foundation

/// A point in time by the clocks of this device. Which of them is right is found out when it is sent.
package struct DeviceTime: Hashable, Codable, Sendable {
    /// The wall clock, which may be wrong and may jump.
    package var wall: Date
    /// Seconds since the device was started, with the time in which it slept.
    package var uptime: Double
    /// Names the start of the device from which `uptime` counts.
    package var bootID: String

    package init(wall: Date, uptime: Double, bootID: String) {
        self.wall = wall
        self.uptime = uptime
        self.bootID = bootID
    }
}

/// The clocks of the device.
package protocol DeviceClocks: Sendable {
    var now: DeviceTime { get }
    /// Seconds in which the device was awake, since any point in time.
    var awake: Double { get }
}

/// The clocks of Linux.
package struct LinuxClocks: DeviceClocks {
    private static let bootID =
        (try? String(contentsOfFile: "/proc/sys/kernel/random/boot_id", encoding: .utf8))?
        .trimmingCharacters(in: .whitespacesAndNewlines) ?? ""

    package init() {}

    package var now: DeviceTime {
        DeviceTime(wall: Date(), uptime: seconds(CLOCK_BOOTTIME), bootID: LinuxClocks.bootID)
    }

    /// Unlike CLOCK_BOOTTIME, this clock stands still while the device sleeps.
    package var awake: Double { seconds(CLOCK_MONOTONIC) }

    private func seconds(_ clock: clockid_t) -> Double {
        var time = timespec()
        clock_gettime(clock, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
