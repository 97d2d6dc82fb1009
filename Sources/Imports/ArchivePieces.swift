import Archive
import Postgres
import School

/// The archive of an import where it lies in the database, in pieces; one of them is in memory.
///
/// They are read over a connection of their own, since the one that imports is in the middle of a COPY then.
final class ArchivePieces: ArchiveBytes {
    private let importID: ImportID
    private let connection: BlockingConnection
    private let identity: Identity
    /// Where each piece begins, and behind the last one the end.
    private let offsets: [Int]
    private var piece: [UInt8] = []
    /// Which bytes of the archive the piece is.
    private var held = 0..<0
    /// Why a piece could not be read. Whoever unpacks knows only that one could not.
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
