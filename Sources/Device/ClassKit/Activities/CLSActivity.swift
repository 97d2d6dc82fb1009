import ClassKitUplink
import Foundation

/// One attempt of a person at a context: how long it took, how far it went, and what came of it.
///
/// `CLSContext.createNewActivity()` makes activities. Changes are recorded by `CLSDataStore.save(completion:)`. If
/// nobody assigned the context, nothing is reported, and your app does not notice.
open class CLSActivity: CLSObject, @unchecked Sendable {
    let id: UUID
    /// The id of the attempt before this one.
    let formerID: UUID?
    weak var context: CLSContext?
    var startedAt: Moment?
    var stoppedAt: Moment?
    var modifiedAt: Moment
    var stopwatch: Stopwatch
    var ranges = ProgressRanges()
    var primary: CLSActivityItem?
    var additional: [CLSActivityItem] = []
    /// Whether a newer attempt has taken the place of this one.
    var isFinal = false
    /// Whether the database has this activity.
    var isSaved = false
    var isNoted = false
    var faults: [CLSError] = []

    init(of context: CLSContext, after former: CLSActivity?) {
        id = UUID()
        formerID = former?.id
        self.context = context
        modifiedAt = (context.store?.clocks ?? LinuxClocks()).now
        stopwatch = Stopwatch()
        super.init()
    }

    init(id: UUID, formerID: UUID?, of context: CLSContext, seconds: Double, at time: Moment) {
        self.id = id
        self.formerID = formerID
        self.context = context
        modifiedAt = time
        stopwatch = Stopwatch(seconds: seconds)
        super.init()
    }

    /// Restores an archived activity, which no longer belongs to a context.
    public required init?(coder: NSCoder) {
        guard let id = coder.decodeObject(of: NSString.self, forKey: "id"),
            let uuid = UUID(uuidString: id as String)
        else { return nil }
        self.id = uuid
        formerID = nil
        modifiedAt = LinuxClocks().now
        stopwatch = Stopwatch(seconds: coder.decodeDouble(forKey: "duration"))
        isFinal = true
        super.init(coder: coder)
    }

    open override func encode(with coder: NSCoder) {
        super.encode(with: coder)
        coder.encode(id.uuidString as NSString, forKey: "id")
        coder.encode(duration, forKey: "duration")
    }

    /// How much of the task is done, from 0 to 1. Setting it is the same as adding the range from 0 to the value.
    public var progress: Double {
        get { ObjectLock.locked { ranges.total } }
        set {
            guard newValue != 0 else { return }
            addProgressRange(fromStart: 0, toEnd: newValue)
        }
    }

    /// The seconds that this attempt has been running, over all starts and stops.
    public var duration: TimeInterval {
        ObjectLock.locked { stopwatch.read(at: clocks.awake) }
    }

    /// Whether the clock is running.
    public var isStarted: Bool { ObjectLock.locked { stopwatch.isRunning } }

    /// Starts the clock, or lets it go on.
    public func start() {
        change {
            guard !stopwatch.isRunning else { return false }
            let now = clocks.now
            if startedAt == nil { startedAt = now }
            stoppedAt = nil
            stopwatch.start(at: clocks.awake)
            context?.store?.began(self)
            return true
        }
    }

    /// Stops the clock. Set progress and items before.
    public func stop() {
        change {
            guard stopwatch.isRunning else { return false }
            stopwatch.stop(at: clocks.awake)
            stoppedAt = clocks.now
            context?.store?.ended(self)
            return true
        }
    }

    /// Adds a part of the task that is done. Parts may overlap.
    ///
    /// Both bounds are from 0 to 1, and the end is greater than the start. Other ranges are ignored, and the next save
    /// reports them as `CLSError.invalidArgument`.
    public func addProgressRange(fromStart start: Double, toEnd end: Double) {
        change {
            guard start >= 0, start < end, end <= 1 else {
                refuse(
                    .invalidArgument,
                    "A progress range is from 0 to 1 and ends after it starts, unlike \(start) to \(end)."
                )
                return false
            }
            ranges.insert(ProgressRange(start: start, end: end))
            return true
        }
    }

    var clocks: any DeviceClocks { context?.store?.clocks ?? LinuxClocks() }

    /// Makes a change, unless the activity is final.
    /// - Parameter body: returns whether anything is different now.
    func change(_ body: () -> Bool) {
        ObjectLock.locked {
            guard !isFinal else {
                return refuse(
                    .invalidModification,
                    "This attempt is over, because a newer one has begun at its context.")
            }
            if body() { noteChange() }
        }
    }

    /// Ends the attempt for good. Called with the lock held.
    func finish() {
        stop()
        isFinal = true
    }

    func noteChange() {
        modifiedAt = clocks.now
        touch()
        noteForSave()
    }

    private func noteForSave() {
        guard !isNoted, let store = context?.store else { return }
        isNoted = true
        store.changes.activities.append(self)
    }

    private func refuse(_ code: CLSError.Code, _ explanation: String) {
        faults.append(CLSError(code, explanation, object: self))
        noteForSave()
    }
}
