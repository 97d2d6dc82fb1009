import HTTPServer
import HTTPWire
import JSONBytes
import Postgres
import School

/// A report as JSON, made piece by piece while it is sent.
struct ReportDocument: ReportPieces {
    private let outline: ReportOutline
    private let rows: Rows
    private var writer = JSONWriter(reserving: pieceBytes + 16_384)
    private var row = 0
    private var hasBegun = false
    private var hasEnded = false

    init(_ rows: Rows, _ outline: ReportOutline) {
        self.rows = rows
        self.outline = outline
    }

    mutating func next() throws -> [UInt8]? {
        if hasEnded { return nil }
        if !hasBegun { try begin() }
        while let object = try outline.nextObject(in: rows, from: row) {
            try outline.write(rows, object, into: &writer)
            row = object.upperBound
            if writer.bytes.count >= Self.pieceBytes { return writer.take() }
        }
        try end()
        return writer.take()
    }

    private mutating func begin() throws {
        hasBegun = true
        writer.beginObject()
        try outline.write(outline.head, of: rows, row: 0, into: &writer)
        writer.key(outline.lists[0].name)
        writer.beginArray()
    }

    private mutating func end() throws {
        hasEnded = true
        writer.endArray()
        writer.key("notes")
        writer.beginArray()
        for note in try outline.notes(rows) { note.write(into: &writer) }
        writer.endArray()
        writer.endObject()
    }
}

/// A report that is made piece by piece.
protocol ReportPieces: Sendable {
    /// The next piece; `nil` at the end.
    mutating func next() throws -> [UInt8]?
}

extension ReportPieces {
    /// How long a piece is at least, but for the last one.
    static var pieceBytes: Int { 65_536 }

    /// The report as an answer: whole up to 256 KiB, beyond that while it is being made.
    func response(_ headers: [ResponseField]) throws -> Response {
        var rest = self
        var start: [UInt8] = []
        while start.count <= 4 * Self.pieceBytes {
            guard let piece = try rest.next() else {
                return Response(200, headers: headers, body: .bytes(start))
            }
            start += piece
        }
        let (begun, unmade) = (start, rest)
        return Response(
            200, headers: headers,
            body: .stream(length: nil) { client in
                try await client.write(begun)
                var rest = unmade
                while let piece = try rest.next() { try await client.write(piece) }
            })
    }
}
