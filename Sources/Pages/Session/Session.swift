import Crypto
import HTTPWire
import Synchronization
import Values

/// The session of a browser in which someone is signed in.
struct Session: Sendable {
    /// Its access token.
    let token: String
    /// Whether the cookie outlives the browser; not where others use the device too.
    let isKept: Bool

    init(token: String, isKept: Bool) {
        self.token = token
        self.isKept = isKept
    }

    /// Reads the cookie's value; `nil` if it cannot be a token.
    init?(cookie: String) {
        let parts = cookie.split(separator: ".", omittingEmptySubsequences: false)
        guard let token = parts.first, (16...200).contains(token.utf8.count),
            token.utf8.allSatisfy({ byte in
                (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte)
                    || (0x61...0x7A).contains(byte) || "-_~+/=".utf8.contains(byte)
            }), parts.count == 1 || parts.count == 2 && parts[1] == Self.kept
        else { return nil }
        self.token = String(token)
        isKept = parts.count == 2
    }

    private static let kept = "kept"

    /// The cookie for the browser.
    ///
    /// - Parameter seconds: how long the session lasts without a request.
    func cookie(isSecure: Bool, seconds: Int) -> ResponseField {
        Cookie.session.set(
            isKept ? "\(token).\(Self.kept)" : token, isSecure: isSecure,
            seconds: isKept ? seconds : nil)
    }
}

/// Remembers which sessions were renewed lately, so that each is renewed at most once a minute.
///
/// Every process counts for itself; one renewal too many does no harm.
final class Renewals: Sendable {
    private static let pauseMilliseconds: Int64 = 60_000
    /// Above this many the outdated ones are removed; they no longer matter.
    private static let sweepCount = 4096

    private let renewedAt = Mutex<[SHA256Digest: Timestamp]>([:])

    /// Whether it is time to renew; then it counts as done.
    func isDue(_ session: Session, now: Timestamp) -> Bool {
        let digest = SHA256.digest(session.token)
        return renewedAt.withLock { renewedAt in
            if let last = renewedAt[digest],
                now.milliseconds - last.milliseconds < Self.pauseMilliseconds
            {
                return false
            }
            if renewedAt.count >= Self.sweepCount {
                renewedAt = renewedAt.filter {
                    now.milliseconds - $0.value.milliseconds < Self.pauseMilliseconds
                }
            }
            renewedAt[digest] = now
            return true
        }
    }
}
