import CLinux
import Glibc
import Synchronization

/// One thread with an epoll instance, which serves the sockets, timers and tasks of the same requests.
///
/// Everything registered with a loop is confined to it: handlers, timers and the tasks of `spawn` run on the
/// loop's thread and need no locks among each other. Only `enqueue`, `execute`, `spawn` and `stop` may be
/// called from other threads.
package final class Loop: TaskExecutor, @unchecked Sendable {
    /// The index of this loop among its siblings, from 0.
    package let index: Int

    private let epoll: Int32
    private let wakeUp: Int32
    private let thread = Atomic<UInt>(0)
    private let foreign = Mutex(Foreign())

    private var jobs: [UnownedJob] = []
    private var spareJobs: [UnownedJob] = []
    private var works: [@Sendable () -> Void] = []
    private var registrations: [Registration?] = []
    private var freeSlots: [Int] = []
    private var generation: UInt32 = 0
    private var timers = Timers()
    private var isStopping = false
    /// How far a test wants to move the time, one after the other.
    var advances: [Advance] = []

    /// Where the time comes from.
    package let time: TimeSource
    /// The time in nanoseconds, read once per turn.
    package private(set) var now: Int64

    /// Work that other threads queued for this loop.
    private struct Foreign {
        var jobs: [UnownedJob] = []
        var works: [@Sendable () -> Void] = []
        var isAwake = false
        var isStopping = false
    }

    /// Fails if the kernel provides no epoll instance or event descriptor.
    package init(index: Int = 0, time: TimeSource = .real) throws(LoopError) {
        self.index = index
        self.time = time
        now = time.now
        epoll = epoll_create1(Int32(EPOLL_CLOEXEC))
        guard epoll >= 0 else { throw LoopError(call: "epoll_create1", number: errno) }
        wakeUp = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
        guard wakeUp >= 0 else { throw LoopError(call: "eventfd", number: errno) }
        _ = linux_epoll_control(epoll, EPOLL_CTL_ADD, wakeUp, EPOLLIN.rawValue, Self.wakeUpTag)
    }

    deinit {
        close(wakeUp)
        close(epoll)
    }

    // MARK: The current loop

    /// The loop that runs on the calling thread, if any.
    package static var current: Loop? {
        guard let pointer = pthread_getspecific(currentKey) else { return nil }
        return Unmanaged<Loop>.fromOpaque(pointer).takeUnretainedValue()
    }

    /// Whether the caller runs on this loop's thread.
    package var isCurrent: Bool { thread.load(ordering: .relaxed) == UInt(pthread_self()) }

    /// Stops a debug build that touches a confined object from another thread.
    package func preconditionCurrent() {
        assert(isCurrent, "called outside its loop")
    }

    // MARK: From any thread

    /// Starts a thread that runs the loop until `stop`.
    package func start() {
        startThread { self.run() }
    }

    /// Takes a job of Swift's concurrency runtime.
    package func enqueue(_ job: consuming ExecutorJob) {
        let unowned = UnownedJob(job)
        if isCurrent {
            jobs.append(unowned)
        } else {
            leave { $0.jobs.append(unowned) }
        }
    }

    /// Runs the work on the loop, in the order in which one thread calls this.
    package func execute(_ work: @escaping @Sendable () -> Void) {
        if isCurrent {
            works.append(work)
        } else {
            leave { $0.works.append(work) }
        }
    }

    /// Starts a task whose nonisolated code runs on this loop.
    @discardableResult
    package func spawn(_ body: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
        Task(executorPreference: self) { await body() }
    }

    /// Runs the body to its end on the current loop, also if the surrounding task is cancelled meanwhile, as when a
    /// client hangs up.
    package static func finish<Value: Sendable>(
        _ body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        try await Task(executorPreference: current) { try await body() }.value
    }

    /// Makes `run` return after the current turn; remaining registrations are released.
    package func stop() {
        leave { $0.isStopping = true }
    }

    // MARK: On the loop

    /// Watches a descriptor until the registration is cancelled; closing the descriptor is up to the caller.
    ///
    /// With `.edge`, readiness is reported once per change, and the handler must consume it completely.
    package func register(
        _ descriptor: Int32, _ interest: Interest, handler: @escaping (Readiness) -> Void
    ) throws(LoopError) -> Registration {
        preconditionCurrent()
        let slot = freeSlots.popLast() ?? registrations.count
        if slot == registrations.count { registrations.append(nil) }
        generation &+= 1
        let registration = Registration(
            loop: self, descriptor: descriptor, slot: slot, generation: generation,
            handler: handler)
        let status = linux_epoll_control(
            epoll, EPOLL_CTL_ADD, descriptor, interest.events, registration.tag)
        guard status == 0 else {
            freeSlots.append(slot)
            throw LoopError(call: "epoll_ctl", number: errno)
        }
        registrations[slot] = registration
        return registration
    }

    /// Calls the body once, this many milliseconds after this turn, unless the timer is cancelled.
    @discardableResult
    package func schedule(
        afterMilliseconds delay: Int, _ body: @escaping () -> Void
    ) -> LoopTimer {
        preconditionCurrent()
        return timers.add(delay: delay, now: now, body)
    }

    /// Runs turns on the calling thread until `stop`.
    package func run() {
        thread.store(UInt(pthread_self()), ordering: .relaxed)
        pthread_setspecific(Self.currentKey, Unmanaged.passUnretained(self).toOpaque())
        defer {
            pthread_setspecific(Self.currentKey, nil)
            thread.store(0, ordering: .relaxed)
        }
        var events = [epoll_event](repeating: epoll_event(), count: 256)
        while !isStopping {
            turn(&events)
        }
        registrations.removeAll()
        timers = Timers()
    }

    // MARK: One turn

    private func turn(_ events: inout [epoll_event]) {
        let isIdle = jobs.isEmpty && works.isEmpty
        let timeout = isIdle ? waitMilliseconds : 0
        let count = epoll_wait(epoll, &events, Int32(events.count), timeout)
        now = time.now
        for position in 0..<max(0, Int(count)) {
            dispatch(
                tag: linux_epoll_tag(&events[position]),
                events: linux_epoll_events(&events[position]))
            runJobs()
        }
        let hasFired = timers.fire(now: now)
        runJobs()
        if !advances.isEmpty, isIdle, count == 0, !hasFired, jobs.isEmpty, works.isEmpty {
            stepTime()
        }
    }

    /// How long to wait for an event; -1 for any time. A manual time does not go on by waiting.
    private var waitMilliseconds: Int32 {
        guard time.isManual else { return timers.milliseconds(untilNextFrom: now) }
        return advances.isEmpty ? -1 : 0
    }

    /// When the next timer is due, if there is any.
    var nextDeadline: Int64? { timers.nextDeadline }

    private func dispatch(tag: UInt64, events: UInt32) {
        guard tag != Self.wakeUpTag else { return collectForeign() }
        let slot = Int(tag & 0xFFFF_FFFF)
        guard slot < registrations.count, let registration = registrations[slot],
            registration.tag == tag
        else { return }
        registration.handler(Readiness(events: events))
    }

    /// Runs the jobs that are ready, and jobs that these make ready, up to a bound, so that sockets are checked
    /// again soon.
    private func runJobs() {
        var rounds = 0
        while !(jobs.isEmpty && works.isEmpty), rounds < 16 {
            rounds += 1
            // Two arrays take turns, so that a round needs no allocation.
            var ready = spareJobs
            spareJobs = []
            swap(&ready, &jobs)
            for job in ready { job.runSynchronously(on: asUnownedTaskExecutor()) }
            ready.removeAll(keepingCapacity: true)
            spareJobs = ready
            guard !works.isEmpty else { continue }
            let waiting = works
            works = []
            for work in waiting { work() }
        }
    }

    private func collectForeign() {
        var value: UInt64 = 0
        _ = read(wakeUp, &value, 8)
        let left = foreign.withLock { state in
            defer {
                state.jobs.removeAll()
                state.works.removeAll()
                state.isAwake = false
            }
            return state
        }
        jobs.append(contentsOf: left.jobs)
        works.append(contentsOf: left.works)
        isStopping = left.isStopping
    }

    private func leave(_ change: (inout sending Foreign) -> Void) {
        let mustWake = foreign.withLock { state in
            change(&state)
            defer { state.isAwake = true }
            return !state.isAwake
        }
        if mustWake {
            var one: UInt64 = 1
            _ = write(wakeUp, &one, 8)
        }
    }

    // MARK: Registrations

    func change(_ registration: Registration, to interest: Interest) {
        preconditionCurrent()
        _ = linux_epoll_control(
            epoll, EPOLL_CTL_MOD, registration.descriptor, interest.events, registration.tag)
    }

    func remove(_ registration: Registration) {
        preconditionCurrent()
        guard registrations[registration.slot] === registration else { return }
        _ = linux_epoll_control(epoll, EPOLL_CTL_DEL, registration.descriptor, 0, 0)
        registrations[registration.slot] = nil
        freeSlots.append(registration.slot)
    }

    private static let wakeUpTag = UInt64.max
    private static let currentKey: pthread_key_t = {
        var key = pthread_key_t()
        pthread_key_create(&key, nil)
        return key
    }()
}

/// A system call that failed, with its error number.
package struct LoopError: Error, Sendable, CustomStringConvertible {
    package let call: String
    package let number: Int32

    package init(call: String, number: Int32) {
        self.call = call
        self.number = number
    }

    package var description: String { "\(call): \(String(cString: strerror(number)))" }
}
