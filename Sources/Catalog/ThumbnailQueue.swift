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

    /// Reads the oldest unclaimed picture.
    func look() throws -> QueueWorker.Look {
        try connection.transaction {
            guard let row = try connection.query(.claimThumbnail()).first else { return .empty }
            try read(row)
            return .worked
        }
    }

    private func read(_ row: Row) throws {
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
    }
}

extension ImageError {
    /// Whether the error says nothing about the picture.
    fileprivate var isOfNoImportance: Bool { if case .interrupted = self { true } else { false } }
}
