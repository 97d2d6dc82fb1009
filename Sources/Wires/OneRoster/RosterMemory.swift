import API
import HTTPServer
import HTTPWire
import School
import Synchronization

/// What a request about the roster is answered.
struct RosterAnswer: Sendable {
    let response: Response
    /// The revision at which all who ask the same are answered the same; `nil` if that is not so.
    var revision: String?
    /// Where it ends, if another page may follow.
    var end: PageEnd?
}

/// How many objects a request finds at a revision of the roster.
struct RosterTotal: Sendable {
    /// Empty for the gradebook, which has none.
    let revision: String
    let total: Int
}

/// Answers about the roster, each for as long as the roster has the revision that it is of.
///
/// What a roster reader sees depends on the organization alone (`SQL/policies/oneroster.sql`): no grant and no row says
/// more about the account that asks. So the key of an answer is the organization with everything of the request that
/// shapes the answer. Each request is still authenticated, has the scopes of its call, and asks the database in its own
/// name for the revision, which any change of the roster changes. What shows objects that left the roster is not kept,
/// since those are forgotten without a change. The gradebook, where accounts have grants, has no
/// revision and is never kept.
final class RosterMemory: Sendable {
    /// A request, as far as its answer depends on it.
    struct Key: Hashable, Sendable {
        let organization: OrganizationID
        /// The URL that links in the answer begin with.
        let server: String
        /// Path and query.
        let target: String

        /// In bytes, with what the table takes. Filters and names of hosts can be kilobytes.
        fileprivate var size: Int { server.utf8.count + target.utf8.count + 200 }
    }

    private struct Kept<Value: Sendable>: Sendable {
        let value: Value
        /// In monotonic nanoseconds.
        let until: Int64
    }

    /// In bytes, for each of two generations of answers.
    private static let most = 16 << 20
    /// The same for totals, and for places: some 10,000 of usual length.
    private static let mostOfRest = 4 << 20
    /// The largest answer that is kept: pages of thousands are read once.
    private static let largest = 256 << 10
    /// An answer outlives nothing that the revision does not know, such as a new version of a policy, by more than that.
    private static let lifetime: Int64 = 60_000_000_000

    private let answers = Mutex(Generations<Key, Kept<RosterAnswer>>())
    private let totals = Mutex(Generations<Key, RosterTotal>())
    private let places = Mutex(Generations<Key, Kept<ReadPlace>>())

    /// The answer to such a request, if it is known for a revision of the roster.
    ///
    /// - Parameter now: in monotonic nanoseconds.
    func answer(for key: Key, now: Int64) -> RosterAnswer? {
        guard let kept = answers.withLock({ $0.value(for: key) }), kept.until > now else {
            return nil
        }
        return kept.value
    }

    func keep(_ answer: RosterAnswer, for key: Key, now: Int64) {
        let response = answer.response
        guard case .bytes(let bytes) = response.body, bytes.count <= Self.largest else { return }
        // Links repeat the filter.
        let fields = response.headers.reduce(0) { $0 + $1.value.utf8.count + 100 }
        let size = bytes.count + fields + key.size
        let kept = Kept(value: answer, until: now + Self.lifetime)
        answers.withLock { $0.keep(kept, for: key, size: size, most: Self.most) }
    }

    /// How many objects a request found last.
    func total(for key: Key) -> RosterTotal? { totals.withLock { $0.value(for: key) } }

    /// Whether this process has noted a short while ago that somebody read to a place, and to no other since. The key has
    /// the account in place of the server.
    func hasNoted(_ read: ReadPlace, for key: Key, now: Int64) -> Bool {
        guard let noted = places.withLock({ $0.value(for: key) }), noted.until > now else {
            return false
        }
        return noted.value == read
    }

    func keep(_ read: ReadPlace, for key: Key, now: Int64) {
        let kept = Kept(value: read, until: now + Self.lifetime)
        places.withLock { $0.keep(kept, for: key, size: key.size, most: Self.mostOfRest) }
    }

    func keep(_ total: RosterTotal, for key: Key) {
        totals.withLock { $0.keep(total, for: key, size: key.size, most: Self.mostOfRest) }
    }
}
