package import ClassKitUplink
package import Foundation
import Synchronization

/// Clocks that a test sets.
package final class ModelClock: DeviceClock {
    private let moment = Mutex(
        Moment(wall: Date(timeIntervalSince1970: 1_790_000_000), uptime: 100, bootID: "boot-1"))

    package init() {}

    package var now: Moment { moment.withLock { $0 } }

    package func sleep(seconds: Double) async throws {
        try Task.checkCancellation()
        // The mirror's pause: nobody waits for it here.
        guard seconds < 900 else { return try await Task.sleep(for: .seconds(seconds)) }
        pass(seconds)
    }

    package func pass(_ seconds: Double) {
        moment.withLock {
            $0.wall.addTimeInterval(seconds)
            $0.uptime += seconds
        }
    }

    package func setWall(_ wall: Date) { moment.withLock { $0.wall = wall } }

    package func reboot() {
        moment.withLock {
            $0.uptime = 10
            $0.bootID += "'"
        }
    }
}
