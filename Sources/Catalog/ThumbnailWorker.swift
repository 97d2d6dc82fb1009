import Images
import Log
import Postgres
import School

/// Reads the pictures that wait, one after the other on a thread of its own, as long as there are any.
///
/// Each process has one, woken when it starts and whenever it accepts a picture. A picture is held by the
/// transaction that reads it: if the process dies, the next one that looks takes it up.
package final class ThumbnailWorker: Sendable {
    private let images: ImageProcess
    private let thread: WorkerThread

    /// A database that is gone, or a reader that was stopped, is waited for ten minutes.
    init(images: ImageProcess, log: Log?) {
        self.images = images
        thread = WorkerThread(retrySeconds: 1, retriesMax: 600) { error, isGivenUp in
            guard isGivenUp else { return }
            log?.error("thumbnails not read", ["cause": .text(logText(of: error))])
        }
    }

    /// Sees to it that whatever waits now gets its turn.
    ///
    /// - Parameter target: the database, as the server's login.
    func wake(target: String) {
        thread.wake {
            let connection = try BlockingConnection(target)
            while try connection.transaction({ try self.readNext(connection) }) {}
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
