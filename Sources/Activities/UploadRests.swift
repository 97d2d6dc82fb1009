import Synchronization
import Values

/// Who waits longer for the next turn because the last one took long, so that nobody has all storing to themselves.
///
/// What honest apps send is stored in a fraction of a second. What takes seconds was made to.
final class UploadRests: Sendable {
    /// Nanoseconds. Whose turn took less does not rest.
    private static let freeTime: Int64 = 1_000_000_000
    /// How many times as long as the turn took.
    private static let factor: Int64 = 3

    /// When the rest of each person ends, in nanoseconds.
    private let ends = Mutex<[UUID: Int64]>([:])

    /// - Parameter now: on the monotonic clock, in nanoseconds.
    func resting(now: Int64) -> [UUID] {
        ends.withLock { ends in
            if !ends.isEmpty { ends = ends.filter { $0.value > now } }
            return Array(ends.keys)
        }
    }

    /// A turn of the person lasted from one moment to another, on the monotonic clock in nanoseconds.
    func note(_ personID: UUID, from began: Int64, to ended: Int64) {
        guard ended - began > Self.freeTime else { return }
        ends.withLock { $0[personID] = ended + (ended - began) * Self.factor }
    }
}
