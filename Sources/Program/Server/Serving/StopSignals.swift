import CLinux
import Glibc

/// The signals that end the service, and the one that reloads its certificate. Created before any thread starts, so
/// that all threads inherit the blocked signals.
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

    /// Blocks the calling thread until a signal to end arrives and returns it. On SIGHUP it calls the body and keeps
    /// waiting.
    func wait(atHangUp reload: () -> Void) -> Int32 {
        var set = signals
        var number: Int32 = 0
        while true {
            sigwait(&set, &number)
            guard number == SIGHUP else { return number }
            reload()
        }
    }

    /// Blocks the calling thread for that time; returns true if a signal to end arrives, which is consumed.
    func wait(milliseconds: Int) -> Bool {
        var set = signals
        sigdelset(&set, SIGHUP)
        var rest = timespec(tv_sec: milliseconds / 1000, tv_nsec: milliseconds % 1000 * 1_000_000)
        return sigtimedwait(&set, nil, &rest) > 0
    }
}
