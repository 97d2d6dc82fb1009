import ClassKitUplink
import Foundation
import Synchronization

/// Clocks that a test sets.
final class ModelClock: DeviceClock {
    private let moment = Mutex(
        Moment(wall: Date(timeIntervalSince1970: 1_790_000_000), uptime: 100, bootID: "boot-1"))

    var now: Moment { moment.withLock { $0 } }

    func sleep(seconds: Double) async throws {
        try Task.checkCancellation()
        // The mirror's pause: nobody waits for it here.
        guard seconds < 900 else { return try await Task.sleep(for: .seconds(seconds)) }
        pass(seconds)
    }

    func pass(_ seconds: Double) {
        moment.withLock {
            $0.wall.addTimeInterval(seconds)
            $0.uptime += seconds
        }
    }

    func setWall(_ wall: Date) { moment.withLock { $0.wall = wall } }

    func reboot() {
        moment.withLock {
            $0.uptime = 10
            $0.bootID += "'"
        }
    }
}

/// Tokens that a test sets.
final class ModelTokens: TokenSource {
    private struct State {
        var token = AccessToken(text: "good", subject: "sam")
        var next: AccessToken?
        var renewals = 0
    }

    private let state = Mutex(State())

    var renewals: Int { state.withLock { $0.renewals } }

    func set(_ token: AccessToken, next: AccessToken? = nil) {
        state.withLock {
            $0.token = token
            $0.next = next
        }
    }

    func token() async throws -> AccessToken { state.withLock { $0.token } }

    func renewed(after rejected: AccessToken) async throws -> AccessToken {
        try state.withLock { state in
            state.renewals += 1
            guard let next = state.next else { throw UplinkError.signedOut }
            state.token = next
            return next
        }
    }
}

/// What an uplink reports.
final class Notices: Sendable {
    private let list = Mutex<[UplinkNotice]>([])

    var all: [UplinkNotice] { list.withLock { $0 } }

    func add(_ notice: UplinkNotice) { list.withLock { $0.append(notice) } }
}
