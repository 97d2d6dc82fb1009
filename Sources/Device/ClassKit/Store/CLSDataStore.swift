import ClassKitUplink
import Foundation

/// The contexts and activities of your app, for the person who uses it.
///
/// What you save is on the disk of the device when the completion handler is called. It goes to the server when there
/// is a network, and the server decides what becomes of it: your app works alike for students, teachers and everyone
/// else.
open class CLSDataStore: NSObject, @unchecked Sendable {
    private static let only: CLSDataStore = {
        SendingAtExit.register()
        return CLSDataStore(settings: .found())
    }()

    /// The data store of your app.
    public class var shared: CLSDataStore { only }

    let clocks: any DeviceClocks
    let root: CLSContext
    /// What the next save looks at. Guarded by the lock, as are the next six.
    var changes = Changes()
    /// Saves that are planned and not written yet: the tree is ahead of the database.
    var unwrittenPlans = 0
    /// Whether the database has changes that the tree does not have.
    var isBehind = false
    weak var active: CLSContext?
    var running: [CLSActivity] = []
    var pausedInBackground: [CLSActivity] = []
    package var settings: StoreSettings
    /// Why saves fail although their data is kept, such as a sign-in that has ended.
    var complaint: CLSError?

    /// Owns the database.
    let executor = DispatchQueue(label: "classkit.database")
    /// Look-ups one after another, so that the delegate is asked once for each missing context.
    let lookUps = DispatchQueue(label: "classkit.look-ups")
    let completions = DispatchQueue(label: "classkit.completions", attributes: .concurrent)
    /// Used on `executor` alone.
    var database: Database?
    private var heartbeat: (any DispatchSourceTimer)?
    private weak var delegateObject: (any CLSDataStoreDelegate)?
    /// Sends what is queued. Guarded by the lock, as are the next four.
    var uplink: Uplink?
    /// The paths whose pictures were asked of the server.
    var fetchedThumbnails: Set<[String]> = []
    /// Which paths the server was asked for, and when.
    var askedPaths: [[String]: Double] = [:]
    /// When it last gave no answer to that.
    var lastSilence: Double?
    package var noticeHandler: @Sendable (UplinkNotice) -> Void = { _ in }

    package init(settings: StoreSettings, clocks: any DeviceClocks = LinuxClocks()) {
        self.settings = settings
        self.clocks = clocks
        root = CLSContext(type: .app, identifier: settings.bundleID, title: settings.title)
        super.init()
        root.owner = self
    }

    deinit { heartbeat?.cancel() }

    /// The root of the tree, made when you first ask for it. Its identifier is your app's bundle id.
    public var mainAppContext: CLSContext {
        openIfNeeded()
        return root
    }

    /// The context in which the person is working; `nil` if there is none.
    public var activeContext: CLSContext? { ObjectLock.locked { active } }

    /// Of the activities that run, the one that was started last; `nil` if none runs.
    public var runningActivity: CLSActivity? { ObjectLock.locked { running.last } }

    /// Creates contexts that a look-up does not find.
    public weak var delegate: (any CLSDataStoreDelegate)? {
        get { ObjectLock.locked { delegateObject } }
        set { ObjectLock.locked { delegateObject = newValue } }
    }

    /// Marks a context and its descendants for removal, which the next save does.
    public func remove(_ context: CLSContext) {
        ObjectLock.locked {
            guard context !== root else {
                return context.refuse(
                    .invalidModification, "The main app context cannot be removed.")
            }
            guard context.store === self else { return }
            context.isMarkedForRemoval = true
            changes.removed.append(context)
        }
    }

    /// Marks what is assigned to the person at a context as done. It is queued at once and needs no save.
    ///
    /// Progress and done are different things: this says that the person plans nothing more.
    public func completeAllAssignedActivities(matching contextPath: [String]) {
        let time = clocks.now
        let store = Unchecked(self)
        executor.async {
            let store = store.value
            do {
                try store.opened().complete(contextPath, at: time)
                store.wake(.now)
            } catch {
                store.report(error, while: "queueing a completion")
            }
        }
    }

    /// Looks up the activity of a document that was handed out as a file.
    ///
    /// Homeroom hands out no files yet, so that the answer is `CLSError.invalidArgument`.
    @preconcurrency
    public func fetchActivity(
        for url: URL, completion: @escaping @Sendable (CLSActivity?, (any Error)?) -> Void
    ) {
        completions.async {
            completion(nil, CLSError(.invalidArgument, "No assignment has the file \(url)."))
        }
    }

    /// Looks up the activity of a document that was handed out as a file.
    ///
    /// Homeroom hands out no files yet, so that this throws `CLSError.invalidArgument`.
    public func fetchActivity(for url: URL) async throws -> CLSActivity {
        try await withCheckedThrowingContinuation {
            (continuation: CheckedContinuation<Unchecked<CLSActivity>, any Error>) in
            fetchActivity(for: url) { activity, error in
                continuation.resume(with: Outcome.of(activity, error))
            }
        }.value
    }

    /// Runs the heartbeat while activities run. Called with the lock held.
    func began(_ activity: CLSActivity) {
        running.removeAll { $0 === activity }
        running.append(activity)
        guard heartbeat == nil else { return }
        let timer = DispatchSource.makeTimerSource(queue: executor)
        timer.schedule(
            deadline: .now() + Stopwatch.heartbeatSeconds, repeating: Stopwatch.heartbeatSeconds)
        timer.setEventHandler { [weak self] in self?.beat() }
        timer.resume()
        heartbeat = timer
    }

    /// Called with the lock held.
    func ended(_ activity: CLSActivity) {
        running.removeAll { $0 === activity }
        guard running.isEmpty else { return }
        heartbeat?.cancel()
        heartbeat = nil
    }
}

enum Outcome {
    /// What a completion handler received, for a continuation.
    static func of<Value>(_ value: Value?, _ error: (any Error)?) -> Result<
        Unchecked<Value>, any Error
    > {
        if let value { return .success(Unchecked(value)) }
        return .failure(error ?? CLSError(.none, "There is neither a result nor an error."))
    }
}
