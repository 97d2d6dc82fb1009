/// Adds up the time in which an activity runs.
struct Stopwatch {
    /// While it runs, the heartbeat reads it every 15 seconds.
    static let heartbeatSeconds = 15.0
    /// After more than this without a reading, the process was frozen: that was not working time.
    static let gapSecondsMax = 3 * heartbeatSeconds

    private(set) var seconds: Double
    private var lastReading: Double?

    init(seconds: Double = 0) { self.seconds = seconds }

    var isRunning: Bool { lastReading != nil }

    mutating func start(at awake: Double) {
        if lastReading == nil { lastReading = awake }
    }

    /// Returns the seconds so far.
    @discardableResult
    mutating func read(at awake: Double) -> Double {
        guard let last = lastReading else { return seconds }
        let passed = max(0, awake - last)
        seconds += passed > Stopwatch.gapSecondsMax ? Stopwatch.heartbeatSeconds : passed
        lastReading = awake
        return seconds
    }

    mutating func stop(at awake: Double) {
        read(at: awake)
        lastReading = nil
    }
}
