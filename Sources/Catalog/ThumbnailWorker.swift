import EventLoop
import Glibc
import Images
import Log
import Postgres
import School
import Synchronization

/// Reads the pictures that wait, one after the other on a thread of its own, as long as there are any.
///
/// Each process has one, woken when it starts and whenever it accepts a picture. A picture is held by the
/// transaction that reads it: if the process dies, the next one that looks takes it up.
package final class ThumbnailWorker: Sendable {
    /// How long to wait for a database that is gone, or a reader that was stopped, and how often.
    private static let retrySeconds: UInt32 = 1
    private static let retriesMax = 600

    private struct State {
        var isRunning = false
        var isWanted = false
    }

    private let images: ImageProcess
    private let log: Log?
    private let state = Mutex(State())

    init(images: ImageProcess, log: Log?) {
        self.images = images
        self.log = log
    }

    /// Sees to it that whatever waits now gets its turn.
    ///
    /// - Parameter target: the database, as the server's login.
    func wake(target: String) {
        let mustStart = state.withLock { state in
            state.isWanted = true
            defer { state.isRunning = true }
            return !state.isRunning
        }
        if mustStart { startThread { self.work(target) } }
    }

    private func work(_ target: String) {
        var retries = 0
        while takeWish() {
            do {
                let connection = try BlockingConnection(target)
                while try connection.transaction({ try readNext(connection) }) {}
            } catch {
                guard retries < Self.retriesMax else {
                    log?.error("thumbnails not read", ["cause": .text(logText(of: error))])
                    continue
                }
                retries += 1
                sleep(Self.retrySeconds)
                state.withLock { $0.isWanted = true }
            }
        }
    }

    /// Whether somebody asked for work since the last look; ends the run where nobody did.
    private func takeWish() -> Bool {
        state.withLock { state in
            state.isRunning = state.isWanted
            state.isWanted = false
            return state.isRunning
        }
    }

    /// Reads the oldest picture for which nobody cares; false: there is none.
    private func readNext(_ connection: BlockingConnection) throws -> Bool {
        guard let row = try connection.query(.claimThumbnail()).first else { return false }
        let statusID = try row.text("status_id")
        let bytes = try row.bytes("bytes")
        do {
            let small = try images.small(bytes, side: Thumbnail.side)
            let type = ImageHeader(small)?.format.rawValue ?? ""
            try connection.query(
                .finishThumbnail(statusID, (type: type, bytes: small), error: nil))
        } catch let error as ImageError where !error.isOfNoImportance {
            try connection.query(.finishThumbnail(statusID, nil, error: "\(error)"))
        }
        return true
    }
}

extension ImageError {
    /// Whether it says nothing about the picture.
    fileprivate var isOfNoImportance: Bool { if case .interrupted = self { true } else { false } }
}
