import Images
import Postgres
import School

/// The pictures that wait to be read, as seen by one worker.
///
/// A picture is locked by the transaction that reads it: if the process dies, the next worker that looks takes it.
struct ThumbnailQueue {
    private let connection: BlockingConnection
    private let images: ImageProcess

    init(target: String, images: ImageProcess) throws {
        connection = try BlockingConnection(target)
        self.images = images
    }

    /// Reads the oldest unclaimed picture that a developer sent, and the oldest that an app sent for a person.
    func look() throws -> QueueWorker.Look {
        let isOfCatalog = try connection.transaction {
            guard let row = try connection.query(.claimThumbnail()).first else { return false }
            try read(row)
            return true
        }
        let isNative = try connection.transaction {
            guard let row = try connection.query(.claimNativeThumbnail()).first else {
                return false
            }
            try readNative(row)
            return true
        }
        if isOfCatalog || isNative { return .worked }
        let hasWaiting = try connection.query(.hasWaitingThumbnails())[0].bool("has_waiting")
        return hasWaiting ? .claimedByOthers : .empty
    }

    private func read(_ row: Row) throws {
        let statusID = try row.text("status_id")
        do {
            let picture = try small(try row.bytes("bytes"))
            try connection.query(.finishThumbnail(statusID, picture, error: nil))
        } catch let error as ImageError where !error.isOfNoImportance {
            try connection.query(.finishThumbnail(statusID, nil, error: "\(error)"))
        }
    }

    private func readNative(_ row: Row) throws {
        do {
            let picture = try small(try row.bytes("bytes"))
            try connection.query(.finishNativeThumbnail(row, picture))
        } catch let error as ImageError where !error.isOfNoImportance {
            try connection.query(.finishNativeThumbnail(row, nil))
        }
    }

    private func small(_ bytes: [UInt8]) throws -> (type: String, bytes: [UInt8]) {
        let small = try images.small(bytes, side: Thumbnail.side)
        return (type: ImageHeader(small)?.format.rawValue ?? "", bytes: small)
    }
}

extension ImageError {
    /// Whether the error says nothing about the picture.
    fileprivate var isOfNoImportance: Bool { if case .interrupted = self { true } else { false } }
}
