import Glibc
import Synchronization

/// Hands lines to a file from a thread of its own, so that who logs never waits for who reads.
///
/// A reader that stops, as a journal whose disk is full, leaves lines in memory up to a limit; those after it are lost.
/// They are counted, and when lines flow again one of them says how many were lost.
package final class LineWriter: Sendable {
    /// The one of standard error. What waits when the process ends in an orderly way is written first, for as long as that
    /// goes on.
    package static let standardError: LineWriter = {
        let writer = LineWriter(to: 2)
        atexit { LineWriter.standardError.flush(milliseconds: 1_000) }
        return writer
    }()

    private struct State {
        /// Whole lines that nobody has begun to write.
        var waiting: [UInt8] = []
        /// How many bytes are being written.
        var inFlight = 0
        /// Lines for which there was no room since the thread last came.
        var dropped = 0
        /// How the last line began, so that the one that says what was lost looks alike.
        var manner: [UInt8] = []
        var isAsleep = false
        var hasThread = false
    }

    private let file: Int32
    private let limit: Int
    private let state = Mutex(State())
    private let lost = Atomic<Int>(0)
    /// A pipe: a byte in it wakes the thread.
    private let alarm: (read: Int32, write: Int32)

    /// Lines that never reached the file.
    package var linesLost: Int { lost.load(ordering: .relaxed) }

    /// - Parameters:
    ///   - file: stays open as long as the process runs, and so does the thread that writes to it.
    ///   - limit: how many bytes may wait.
    package init(to file: Int32, limit: Int = 4 << 20) {
        self.file = file
        self.limit = limit
        var ends: [Int32] = [-1, -1]
        // Without a pipe or a thread, lines are written by whoever logs.
        let isMade = pipe(&ends) == 0
        for end in ends where isMade { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        alarm = isMade ? (ends[0], ends[1]) : (-1, -1)
    }

    /// Takes a line, with its newline; any thread may call it, and none waits.
    package func write(_ line: [UInt8]) {
        let (isTaken, wakes) = state.withLock { state in
            if !state.hasThread { state.hasThread = alarm.read >= 0 && startThread() }
            guard state.hasThread else { return (false, false) }
            state.manner = Array(line.prefix(4))
            // What comes after a lost line is lost as well, so that the gap is where it is said to be.
            guard state.dropped == 0, state.waiting.count + state.inFlight + line.count <= limit
            else {
                state.dropped += 1
                lost.wrappingAdd(1, ordering: .relaxed)
                return (true, false)
            }
            state.waiting.append(contentsOf: line)
            defer { state.isAsleep = false }
            return (true, state.isAsleep)
        }
        if !isTaken { _ = put(line[...]) }
        if wakes { wake() }
    }

    /// Waits until everything is written, or this long at most.
    package func flush(milliseconds: Int) {
        for _ in 0..<milliseconds {
            let isDone = state.withLock { !$0.hasThread || $0.waiting.isEmpty && $0.inFlight == 0 }
            if isDone { return }
            usleep(1_000)
        }
    }

    private func wake() {
        var byte: UInt8 = 0
        while Glibc.write(alarm.write, &byte, 1) < 0, errno == EINTR {}
    }

    /// Starts the thread, which gets no signals: they are for others.
    private func startThread() -> Bool {
        var all = sigset_t()
        var before = sigset_t()
        sigfillset(&all)
        pthread_sigmask(SIG_SETMASK, &all, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
        var thread = pthread_t()
        let box = Unmanaged.passRetained(self)
        let status = pthread_create(
            &thread, nil,
            { pointer in
                guard let pointer else { return nil }
                Unmanaged<LineWriter>.fromOpaque(pointer).takeRetainedValue().run()
            }, box.toOpaque())
        if status == 0 { pthread_detach(thread) } else { box.release() }
        return status == 0
    }

    private func run() -> Never {
        // Lines that were lost, and not yet said so.
        var unsaid = 0
        while true {
            let (batch, dropped, manner) = takeWaiting()
            if batch.isEmpty, dropped == 0 {
                sleepUntilWoken()
                continue
            }
            if unsaid > 0, put(Self.notice(of: unsaid, like: manner)) { unsaid = 0 }
            // One by one, so that lines of other processes come between them and not into them.
            for line in batch.split(separator: newline, omittingEmptySubsequences: false).dropLast()
            where !put(line + [newline]) {
                unsaid += 1
                lost.wrappingAdd(1, ordering: .relaxed)
            }
            unsaid += dropped
            if dropped > 0, put(Self.notice(of: unsaid, like: manner)) { unsaid = 0 }
            state.withLock { $0.inFlight = 0 }
        }
    }

    private func takeWaiting() -> (batch: [UInt8], dropped: Int, manner: [UInt8]) {
        state.withLock { state in
            var batch: [UInt8] = []
            swap(&batch, &state.waiting)
            let dropped = state.dropped
            state.dropped = 0
            state.inFlight = batch.count
            state.isAsleep = batch.isEmpty && dropped == 0
            return (batch, dropped, state.manner)
        }
    }

    private func sleepUntilWoken() {
        var byte: UInt8 = 0
        while read(alarm.read, &byte, 1) < 0, errno == EINTR {}
    }

    /// Writes a line; returns whether it could.
    private func put(_ line: ArraySlice<UInt8>) -> Bool {
        var rest = line
        while !rest.isEmpty {
            let written = rest.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
            if written > 0 {
                rest = rest.dropFirst(written)
            } else if written < 0, errno == EAGAIN {
                // Somebody else who has the same file made it so.
                var waiting = pollfd(fd: file, events: Int16(POLLOUT), revents: 0)
                poll(&waiting, 1, -1)
            } else if errno != EINTR {
                return false
            }
        }
        return true
    }

    /// The line that says how many were lost, in the form of the lost ones.
    private static func notice(of count: Int, like manner: [UInt8]) -> ArraySlice<UInt8> {
        let hasPriority = manner.first == UInt8(ascii: "<")
        let first = hasPriority ? manner.dropFirst(3).first : manner.first
        let log = Log(
            format: first == UInt8(ascii: "{") ? .json : .text, hasPriorities: hasPriority)
        return log.line(.warning, "log lines were lost", ["lines": .int(count)])[...]
    }
}

private let newline = UInt8(ascii: "\n")
