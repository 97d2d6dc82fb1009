import ClassKitUplink
import Foundation
import Synchronization

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
