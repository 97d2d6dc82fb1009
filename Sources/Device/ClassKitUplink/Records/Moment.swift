public import Foundation

/// A moment by the device's clocks.
///
/// Within one boot only `uptime` is used: a wall clock that jumps does no harm.
public struct Moment: Codable, Hashable, Sendable {
    /// The wall clock.
    public var wall: Date
    /// Seconds of `CLOCK_BOOTTIME`, which runs on while the machine sleeps.
    public var uptime: Double
    /// Names the boot that `uptime` counts from.
    public var bootID: String

    /// Makes a moment from readings of the clocks.
    public init(wall: Date, uptime: Double, bootID: String) {
        self.wall = wall
        self.uptime = uptime
        self.bootID = bootID
    }

    /// The present.
    public static var now: Moment {
        var time = timespec()
        clock_gettime(CLOCK_BOOTTIME, &time)
        return Moment(
            wall: Date(), uptime: Double(time.tv_sec) + Double(time.tv_nsec) / 1e9,
            bootID: currentBootID)
    }

    private static let currentBootID: String =
        (try? String(contentsOfFile: "/proc/sys/kernel/random/boot_id", encoding: .utf8))?
        .trimmingCharacters(in: .whitespacesAndNewlines) ?? ""
}

/// The clocks of the device, and waiting by them.
public protocol DeviceClock: Sendable {
    /// The present.
    var now: Moment { get }
    /// Waits. Throws when the task is cancelled.
    func sleep(seconds: Double) async throws
}

/// The clocks of this machine.
public struct SystemClock: DeviceClock {
    /// Reads the machine's clocks.
    public init() {}

    public var now: Moment { .now }

    public func sleep(seconds: Double) async throws {
        try await Task.sleep(for: .seconds(max(0, seconds)))
    }
}
