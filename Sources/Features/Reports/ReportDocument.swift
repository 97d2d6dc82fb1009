import API
import HTTPServer
import HTTPWire
import JSONBytes
import Postgres

/// A report as JSON, generated piece by piece while it is sent.
struct ReportDocument: ReportPieces {
    private let outline: ReportOutline
    private let rows: Rows
    private let nextPageToken: String?
    private let position: String?
    private var writer = JSONWriter(reserving: 65_536)
    /// The rows of the objects written so far.
    private var objects: [Range<Int>] = []
    private var hasBegun = false
    private(set) var hasEnded = false

    /// - Parameters:
    ///   - nextPageToken: the token for the next page, if there is one.
    ///   - position: the state of a report that can be followed.
    init(
        _ rows: Rows, _ outline: ReportOutline, nextPageToken: String? = nil,
        position: String? = nil
    ) throws {
        self.rows = rows
        self.outline = try outline.located(in: rows)
        self.nextPageToken = nextPageToken
        self.position = position
    }

    mutating func next(atLeast count: Int) throws -> [UInt8] {
        if !hasBegun { try begin() }
        while let object = outline.nextObject(in: rows, from: objects.last?.upperBound ?? 0) {
            try outline.write(rows, object, into: &writer)
            objects.append(object)
            if writer.bytes.count >= count { return writer.take() }
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
        for note in try outline.notes(rows, objects) { note.write(into: &writer) }
        writer.endArray()
        if let position {
            writer.key("position")
            writer.text(position)
        }
        if let nextPageToken {
            writer.key("nextPageToken")
            writer.text(nextPageToken)
        }
        writer.endObject()
    }
}

/// A report that is generated piece by piece.
protocol ReportPieces: Sendable {
    /// Whether the last piece was generated.
    var hasEnded: Bool { get }

    /// The next piece, at least `count` bytes long except for the last one.
    mutating func next(atLeast count: Int) throws -> [UInt8]
}

extension ReportPieces {
    /// The report as a response: whole up to 256 KiB, streamed beyond that.
    func response(_ headers: [ResponseField]) throws -> Response {
        var rest = self
        let start = try rest.next(atLeast: 262_144)
        if rest.hasEnded { return Response(200, headers: headers, body: .bytes(start)) }
        let unmade = rest
        return Response(
            200, headers: headers,
            body: .stream(length: nil) { client in
                try await client.write(start)
                var rest = unmade
                while !rest.hasEnded { try await client.write(rest.next(atLeast: 65_536)) }
            })
    }
}
