import Synchronization
import Values

/// What time it is for a service that is given `clock`: real time at first. Tests move it instead of waiting.
///
/// `TestSchool.setMoment` moves it together with the database's `moment()`; here it is moved or stopped alone.
package final class VirtualTime: Sendable {
    private struct State {
        var ahead: Int64 = 0
        var stoppedAt: Timestamp?
    }

    private let state = Mutex(State())

    package init() {}

    /// How many milliseconds it is ahead of real time, or of where it was stopped.
    package var ahead: Int64 {
        get { state.withLock { $0.ahead } }
        set { state.withLock { $0.ahead = newValue } }
    }

    /// Stops it, so that it passes only when a test moves it.
    ///
    /// - Parameter moment: what time it is from now on, and nothing ahead of that; the present if `nil`.
    package func stop(at moment: Timestamp? = nil) {
        let moment = moment ?? now
        state.withLock { $0 = State(stoppedAt: moment) }
    }

    package var now: Timestamp {
        let state = state.withLock { $0 }
        let real = state.stoppedAt ?? Clock.system.now
        return Timestamp(milliseconds: real.milliseconds + state.ahead)
    }

    /// Says this time, whenever it is asked.
    package var clock: Clock { Clock { [self] in now } }
}
