import Archive
import Postgres
import School

/// An import's archive, read from the database in pieces; one piece at a time is in memory.
///
/// They are read over a separate connection, since the importing one is in the middle of a COPY.
final class ArchivePieces: ArchiveBytes {
    private let importID: ImportID
    private let connection: BlockingConnection
    private let identity: Identity
    /// The offset of each piece, and after the last one the archive's length.
    private let offsets: [Int]
    private var piece: [UInt8] = []
    /// The range of bytes of the piece in memory.
    private var held = 0..<0
    /// The reason why a piece could not be read. The code that unpacks only knows that one could not.
    private(set) var failure: (any Error)?

    init(of importID: ImportID, _ connection: BlockingConnection, as identity: Identity) throws {
        self.importID = importID
        self.connection = connection
        self.identity = identity
        let lengths = try connection.query(.archiveLengths(importID), as: identity)
            .map { try $0.int("length") }
        offsets = lengths.reduce(into: [0]) { $0.append($0[$0.count - 1] + $1) }
    }

    var size: Int { offsets[offsets.count - 1] }

    func bytes(from offset: Int, atMost count: Int) throws -> ArraySlice<UInt8> {
        guard offset < size else { return [] }
        if !held.contains(offset) { try readPiece(around: offset) }
        return piece[(offset - held.lowerBound)...].prefix(count)
    }

    private func readPiece(around offset: Int) throws {
        let position = offsets.lastIndex { $0 <= offset } ?? 0
        do {
            let rows = try connection.query(.archivePiece(importID, position), as: identity)
            guard let row = rows.first else {
                throw PostgresError.unexpected(column: "bytes", "of piece \(position) are gone")
            }
            piece = try row.bytes("bytes")
            held = offsets[position]..<offsets[position] + piece.count
        } catch {
            failure = error
            throw error
        }
    }
}
