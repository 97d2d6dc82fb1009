import Synchronization
import Values

/// The people who wait longer for their next turn because the last one took long, so that no one occupies the workers
/// alone.
///
/// Uploads of honest apps are stored in a fraction of a second. One that takes seconds was made to.
final class UploadRests: Sendable {
    /// In nanoseconds. A turn that took less is followed by no rest.
    private static let freeTime: Int64 = 1_000_000_000
    /// The length of the rest as a multiple of the turn.
    private static let factor: Int64 = 3

    /// When the rest of each person ends, in nanoseconds.
    private let ends = Mutex<[UUID: Int64]>([:])

    /// - Parameter now: monotonic time, in nanoseconds.
    func resting(now: Int64) -> [UUID] {
        ends.withLock { ends in
            if !ends.isEmpty { ends = ends.filter { $0.value > now } }
            return Array(ends.keys)
        }
    }

    /// Notes that a turn of the person lasted from one moment to another, in monotonic nanoseconds.
    func note(_ personID: UUID, from began: Int64, to ended: Int64) {
        guard ended - began > Self.freeTime else { return }
        ends.withLock { $0[personID] = ended + (ended - began) * Self.factor }
    }
}
