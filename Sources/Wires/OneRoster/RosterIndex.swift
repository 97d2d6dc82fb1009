import EventLoop
import HTTPWire
import Postgres
import School
import Synchronization

/// Where the pages of a whole collection begin at a revision of the roster, so that no page counts what comes before it.
struct RosterIndex: Sendable {
    /// How many objects lie between two marks: few enough to skip, many enough that a million have a small index.
    static let step = 500

    let revision: String
    /// How many objects there are.
    let total: Int
    /// The sourcedIds of every 500th object.
    let marks: [String]
    /// Which of those that this process made; 0 until it is known.
    fileprivate(set) var number = 0

    init(revision: String, total: Int, marks: [String]) {
        self.revision = revision
        self.total = total
        self.marks = marks
    }

    init(_ row: Row) throws {
        self.init(
            revision: try row.text("revision"), total: try row.int("total"),
            marks: try row.textArray("marks"))
    }

    /// The sourcedId after which the object at an offset is looked for, and how many are skipped from there.
    func start(of offset: Int) -> (after: String, skip: Int) {
        let mark = min(offset / Self.step, marks.count)
        return (mark == 0 ? "" : marks[mark - 1], offset - mark * Self.step)
    }
}

/// The indexes of collections that were made last. Each is made by one request, while the others wait for it.
///
/// An index is the same for all who may read the roster (see `RosterMemory`). A page that begins at an offset uses the one
/// that was made last, if the database finds that the roster still has its revision.
final class RosterIndexes: Sendable {
    struct Key: Hashable, Sendable {
        let organization: OrganizationID
        let collection: String
    }

    private struct State: Sendable {
        var known = Generations<Key, RosterIndex>()
        var making: Set<Key> = []
        var made = 0
    }

    private enum Turn {
        case known(RosterIndex)
        case make
        case wait
    }

    /// In marks, for each of two generations: some megabytes.
    private static let most = 50_000
    private static let waitMilliseconds = 5
    private let patience: Duration
    private let state = Mutex(State())

    /// - Parameter patience: how long a request waits while others make the index that it needs: longer than a statement
    ///   may take.
    init(patience: Duration = .seconds(15)) {
        self.patience = patience
    }

    /// How many were made in this process.
    var made: Int { state.withLock { $0.made } }

    /// The index that was made last: the roster may have changed since.
    func known(for key: Key) -> RosterIndex? { state.withLock { $0.known.value(for: key) } }

    /// The index that is known, or the one that `make` returns. Throws `StatusInfo` if others do not make it in time.
    ///
    /// - Parameter stale: one that is of another revision than the roster. Any that was made after it will do, so that a
    ///   roster which changes all the time is not counted again and again.
    func index(
        for key: Key, after stale: RosterIndex? = nil, make: () async throws -> RosterIndex
    ) async throws -> RosterIndex {
        let deadline = ContinuousClock.now + patience
        repeat {
            switch turn(at: key, after: stale) {
            case .known(let index): return index
            case .wait: await pause(milliseconds: Self.waitMilliseconds)
            case .make:
                defer { state.withLock { _ = $0.making.remove(key) } }
                return keep(try await make(), for: key)
            }
        } while ContinuousClock.now < deadline
        throw StatusInfo.indexIsNotMade
    }

    private func turn(at key: Key, after stale: RosterIndex?) -> Turn {
        state.withLock { state in
            if let index = state.known.value(for: key), index.number > stale?.number ?? 0 {
                return .known(index)
            }
            return state.making.insert(key).inserted ? .make : .wait
        }
    }

    private func keep(_ index: RosterIndex, for key: Key) -> RosterIndex {
        var index = index
        return state.withLock { state in
            state.made += 1
            index.number = state.made
            state.known.keep(index, for: key, size: index.marks.count + 1, most: Self.most)
            return index
        }
    }
}

extension StatusInfo {
    fileprivate static let indexIsNotMade: StatusInfo = {
        var refusal = StatusInfo(
            status: 503, minor: .serverBusy,
            "The collection is being counted for other requests. Try again in a moment.")
        refusal.headers = [ResponseField("Retry-After", "5")]
        return refusal
    }()
}
