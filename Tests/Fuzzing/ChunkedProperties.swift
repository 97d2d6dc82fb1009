import HTTPWire
import Values

/// Chunked bodies: the same bytes and the same verdict however they arrive, and those that the RFC demands.
enum ChunkedProperties {
    /// The outcome for an input.
    private enum Verdict: Equatable {
        case needMore([UInt8])
        /// The body, and how many bytes of the input it took.
        case done([UInt8], used: Int)
        case refused
    }

    static func check(_ input: UnsafeRawBufferPointer) {
        var dice = SplitMix64(input)
        let whole = verdict([input])
        require(verdict(dice.pieces(of: input)) == whole, "a body in pieces is the same body")
        if input.count < 1000 {
            let bytes = input.indices.map { UnsafeRawBufferPointer(rebasing: input[$0...$0]) }
            require(verdict(bytes) == whole, "a body that arrives byte by byte is the same body")
        }
        var reading = ChunkedByTheLetter(bytes: Array(input))
        let expected: Verdict =
            switch reading.body() {
            case .needMore: .needMore(reading.data)
            case .good: .done(reading.data, used: reading.position)
            case .bad: .refused
            }
        require(whole == expected, "the body is what RFC 9112 section 7.1 says")
        checkWritten(input)
    }

    private static func verdict(_ pieces: [UnsafeRawBufferPointer]) -> Verdict {
        var decoder = ChunkedDecoder()
        var body: [UInt8] = []
        var used = 0
        for piece in pieces where !decoder.isDone {
            let taken = piece.withSpan { try? decoder.decode($0, into: &body) }
            guard let taken else { return .refused }
            require(
                taken == piece.count || decoder.isDone && taken < piece.count,
                "every byte up to the end of the body is used")
            used += taken
        }
        return decoder.isDone ? .done(body, used: used) : .needMore(body)
    }

    /// What the server itself writes reads back the same.
    private static func checkWritten(_ input: UnsafeRawBufferPointer) {
        var wire: [UInt8] = []
        if !input.isEmpty {
            ResponseWire.appendChunkSize(input.count, to: &wire)
            wire += Array(input) + [0x0D, 0x0A]
        }
        wire += ResponseWire.lastChunk
        let again = wire.withUnsafeBytes { verdict([$0]) }
        require(
            again == .done(Array(input), used: wire.count), "a written body reads back the same")
    }
}

/// A second reading of the chunked coding, line by line instead of byte by byte.
private struct ChunkedByTheLetter {
    enum Outcome { case needMore, good, bad }

    let bytes: [UInt8]
    var position = 0
    var data: [UInt8] = []

    mutating func body() -> Outcome {
        while true {
            let digits = bytes[position...].prefix { hexadecimal.contains($0) }
            let value = digits.reduce(0) { size, digit in
                min(size << 4 | Int(String(UnicodeScalar(digit)), radix: 16)!, 1 << 41)
            }
            guard digits.count <= 16, value <= ChunkedDecoder.chunkLimit else { return .bad }
            position += digits.count
            if position == bytes.count { return .needMore }
            guard !digits.isEmpty else { return .bad }
            if let early = lineEnd() { return early }
            if value == 0 { return trailers() }
            let chunk = bytes[position...].prefix(value)
            data += chunk
            position += chunk.count
            if chunk.count < value { return .needMore }
            if let early = lineEnd() { return early }
        }
    }

    private let hexadecimal = Set("0123456789abcdefABCDEF".utf8)

    /// Consumes CR LF; the outcome if something else follows.
    private mutating func lineEnd() -> Outcome? {
        let end = bytes[position...].prefix(2)
        guard [0x0D, 0x0A].starts(with: end) else { return .bad }
        position += end.count
        return end.count < 2 ? .needMore : nil
    }

    private mutating func trailers() -> Outcome {
        let start = position
        let outcome = trailerLines()
        return position - start > ChunkedDecoder.trailerLimit ? .bad : outcome
    }

    private mutating func trailerLines() -> Outcome {
        while true {
            if position == bytes.count { return .needMore }
            if bytes[position] == 0x0D { return lineEnd() ?? .good }
            let name = bytes[position...].prefix {
                $0 > 0x20 && $0 < 0x7F && !"\"(),/:;<=>?@[\\]{}".utf8.contains($0)
            }
            position += name.count
            if position == bytes.count { return .needMore }
            guard !name.isEmpty, bytes[position] == UInt8(ascii: ":") else { return .bad }
            position += 1
            position += bytes[position...].prefix { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }.count
            if position == bytes.count { return .needMore }
            if let early = lineEnd() { return early }
        }
    }
}
