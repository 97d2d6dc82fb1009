import CLinux
import Values

/// The wall clock.
package enum Clock {
    /// Now, in UTC, to the millisecond.
    package static var now: Timestamp { Timestamp(milliseconds: linux_epoch_milliseconds()) }
}
