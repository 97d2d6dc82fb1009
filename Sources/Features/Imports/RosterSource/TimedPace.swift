import Glibc

/// Ends a pull when its time is over, and asks before each call whether it may go on.
final class TimedPace: RosterPace {
    private let limits: RosterLimits
    private let goOn: () throws -> Void
    private let began = ContinuousClock.now

    /// - Parameter goOn: called before each call and once a second of each pause; throws if the pull must end.
    init(_ limits: RosterLimits, goOn: @escaping () throws -> Void) {
        self.limits = limits
        self.goOn = goOn
    }

    func check() throws {
        guard ContinuousClock.now - began < .seconds(limits.seconds) else {
            throw RosterFailure(
                .tooLarge,
                "The pull took more than \(limits.seconds / 60) minutes, and was given up.")
        }
        try goOn()
    }

    func pause(_ seconds: Int) throws {
        for _ in 0..<seconds {
            try check()
            sleep(1)
        }
        try check()
    }
}
