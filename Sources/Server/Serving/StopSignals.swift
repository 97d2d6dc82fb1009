import CLinux
import Glibc

/// The signals that end the service, and the one that has it read its certificate again. Made before any thread
/// starts, so that every thread leaves them alone.
struct StopSignals {
    private let signals: sigset_t

    init() {
        var set = sigset_t()
        sigemptyset(&set)
        for signal in [SIGTERM, SIGINT, SIGHUP] { sigaddset(&set, signal) }
        pthread_sigmask(SIG_BLOCK, &set, nil)
        signal(SIGPIPE, SIG_IGN)
        signals = set
    }

    /// Blocks the calling thread until one of them arrives, and answers which; at a hang-up it calls the body,
    /// and waits on.
    func wait(atHangUp reload: () -> Void) -> Int32 {
        var set = signals
        var number: Int32 = 0
        while true {
            sigwait(&set, &number)
            guard number == SIGHUP else { return number }
            reload()
        }
    }

    /// Blocks the calling thread for that time; true where a signal to end arrives, which is used up by that.
    func wait(milliseconds: Int) -> Bool {
        var set = signals
        sigdelset(&set, SIGHUP)
        var rest = timespec(tv_sec: milliseconds / 1000, tv_nsec: milliseconds % 1000 * 1_000_000)
        return sigtimedwait(&set, nil, &rest) > 0
    }
}
