import API
import HTTPServer
import HTTPWire
import School
import Synchronization

/// That a traversal began, so that its next pages need not note it again.
private struct Begun: Sendable {
    let roster: KeptRoster
    /// In monotonic nanoseconds.
    let until: Int64
}

/// How many objects a request finds at a revision of the roster.
struct RosterTotal: Sendable {
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

    private struct Kept: Sendable {
        let revision: String
        let response: Response
        /// In monotonic nanoseconds.
        let until: Int64
    }

    /// In bytes, for each of two generations of answers.
    private static let most = 16 << 20
    /// The same for totals, and for traversals: some 10,000 of usual length.
    private static let mostOfRest = 4 << 20
    /// The largest answer that is kept: pages of thousands are read once.
    private static let largest = 256 << 10
    /// An answer outlives nothing that the revision does not know, such as a new version of a policy, by more than that.
    private static let lifetime: Int64 = 60_000_000_000

    private let answers = Mutex(Generations<Key, Kept>())
    private let totals = Mutex(Generations<Key, RosterTotal>())
    private let traversals = Mutex(Generations<Key, Begun>())

    /// The answer to such a request, if it is known for a revision of the roster.
    ///
    /// - Parameter now: in monotonic nanoseconds.
    func answer(for key: Key, now: Int64) -> (revision: String, response: Response)? {
        guard let kept = answers.withLock({ $0.value(for: key) }), kept.until > now else {
            return nil
        }
        return (kept.revision, kept.response)
    }

    func keep(_ response: Response, at revision: String, for key: Key, now: Int64) {
        guard case .bytes(let bytes) = response.body, bytes.count <= Self.largest else { return }
        // Links repeat the filter.
        let fields = response.headers.reduce(0) { $0 + $1.value.utf8.count + 100 }
        let size = bytes.count + fields + key.size
        let kept = Kept(
            revision: revision, response: response, until: now + Self.lifetime)
        answers.withLock { $0.keep(kept, for: key, size: size, most: Self.most) }
    }

    /// How many objects a request found last.
    func total(for key: Key) -> RosterTotal? { totals.withLock { $0.value(for: key) } }

    /// Where a traversal that began a short while ago is kept. Its key has the account in place of the server.
    func begun(for key: Key, now: Int64) -> KeptRoster? {
        guard let begun = traversals.withLock({ $0.value(for: key) }), begun.until > now else {
            return nil
        }
        return begun.roster
    }

    func keep(_ roster: KeptRoster, for key: Key, now: Int64) {
        let begun = Begun(roster: roster, until: now + Self.lifetime)
        traversals.withLock { $0.keep(begun, for: key, size: key.size, most: Self.mostOfRest) }
    }

    func keep(_ total: RosterTotal, for key: Key) {
        totals.withLock { $0.keep(total, for: key, size: key.size, most: Self.mostOfRest) }
    }
}
