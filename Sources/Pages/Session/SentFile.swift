import HTTPServer
import HTTPWire

/// A file that a form sends, received only as fast as it is passed on: it is never in memory as a whole.
///
/// Confined to the loop of its request; one task reads.
final class SentFile: @unchecked Sendable {
    /// What the browser calls it; empty if none was chosen.
    let name: String
    private let body: RequestBody
    private var reader: MultipartReader
    /// Read ahead.
    private var ahead: [UInt8]?
    private var hasEnded = false

    init(name: String, body: RequestBody, reader: MultipartReader) {
        self.name = name
        self.body = body
        self.reader = reader
    }

    /// Whether the file begins with these bytes.
    func begins(with signature: [UInt8]) async throws -> Bool {
        var start = ahead ?? []
        while start.count < signature.count, let more = try await read() { start += more }
        ahead = start
        return start.starts(with: signature)
    }

    /// The next piece of the file; `nil` at its end.
    func next() async throws -> [UInt8]? {
        if let ahead, !ahead.isEmpty {
            self.ahead = nil
            return ahead
        }
        return try await read()
    }

    private func read() async throws -> [UInt8]? {
        while !hasEnded {
            switch try await reader.next(from: body) {
            case .bytes(let bytes): return bytes
            // What follows the file is left to the server to drop.
            case .part, .end: hasEnded = true
            }
        }
        return nil
    }
}

extension MultipartReader {
    /// The next event, for which as much of the body is received as it takes.
    mutating func next(from body: RequestBody) async throws -> Event {
        while true {
            if let event = try next() { return event }
            guard let bytes = try await body.next() else { throw HTTPRefusal.bodyIncomplete }
            append(bytes)
        }
    }
}

extension Form {
    /// The limit of a form with a file: 1 GiB, which the API takes, and what surrounds it.
    private static let bytesMax = 1 << 30 + 65_536
    /// The limit of all fields before the file.
    private static let fieldBytesMax = 65_536

    /// Reads a `multipart/form-data` body up to its file, which has to be the last field.
    ///
    /// An upload may be as slow as a school's line, as long as it goes on.
    static func withFile(_ request: HTTPRequest) async throws -> Form {
        guard let type = request.headers["content-type"],
            var reader = MultipartReader(contentType: type)
        else { return .none }
        request.body.limits = BodyLimits(
            maximumBytes: bytesMax, minimumBytesPerSecond: 16_384, deadlineSeconds: nil)
        request.setDeadline(secondsFromNow: 600)
        var fields: [(name: String, value: [UInt8])] = []
        var left = fieldBytesMax
        while true {
            switch try await reader.next(from: request.body) {
            case .part(_, let fileName?):
                let file = SentFile(name: fileName, body: request.body, reader: reader)
                return Form(fields, file: file)
            case .part(let name, nil): fields.append((name, []))
            case .bytes(let bytes):
                left -= bytes.count
                guard left >= 0, !fields.isEmpty else { throw HTTPRefusal.bodyTooLarge }
                fields[fields.count - 1].value += bytes
            case .end: return Form(fields, file: nil)
            }
        }
    }

    private init(_ fields: [(name: String, value: [UInt8])], file: SentFile?) {
        self.init(
            items: fields.map {
                QueryItem(name: $0.name, value: String(decoding: $0.value, as: UTF8.self))
            }, file: file)
    }
}
