/// Decodes the chunked coding of a body (RFC 9112 section 7.1), strictly: sizes are bare hexadecimal digits,
/// lines end with CR LF, extensions are refused, and trailer fields are checked and dropped.
package struct ChunkedDecoder: Sendable {
    private enum State {
        case size, sizeEnd, data, dataEnd, dataFeed
        case trailerStart, trailerName, trailerValue, trailerFeed, lastFeed, done
    }

    package static let chunkLimit = 1 << 40
    package static let trailerLimit = 8192

    private var state = State.size
    private var digits = 0
    private var size = 0
    private var remaining = 0
    private var trailerLength = 0

    package init() {}

    /// Whether the last chunk and the trailers have been read.
    package var isDone: Bool { state == .done }

    /// Appends the data found in the input and returns how many bytes of it were used: all, unless the body
    /// ends before.
    package mutating func decode(
        _ input: Span<UInt8>, into output: inout [UInt8]
    ) throws(HTTPRefusal) -> Int {
        var position = 0
        while position < input.count, state != .done {
            if state == .data {
                let end = position + min(remaining, input.count - position)
                input.extracting(position..<end).withUnsafeBufferPointer {
                    output.append(contentsOf: $0)
                }
                remaining -= end - position
                position = end
                if remaining == 0 { state = .dataEnd }
            } else {
                try step(input[position])
                position += 1
            }
        }
        return position
    }

    private mutating func step(_ byte: UInt8) throws(HTTPRefusal) {
        switch state {
        case .size: try readSize(byte)
        case .sizeEnd:
            try require(byte == Characters.lineFeed)
            remaining = size
            state = size == 0 ? .trailerStart : .data
            (size, digits) = (0, 0)
        case .dataEnd:
            try require(byte == Characters.carriageReturn)
            state = .dataFeed
        case .dataFeed:
            try require(byte == Characters.lineFeed)
            state = .size
        default: try readTrailer(byte)
        }
    }

    private mutating func readSize(_ byte: UInt8) throws(HTTPRefusal) {
        if let digit = Characters.hexadecimal(byte) {
            digits += 1
            size = size << 4 | Int(digit)
            try require(digits <= 16 && size <= Self.chunkLimit)
        } else {
            try require(byte == Characters.carriageReturn && digits > 0)
            state = .sizeEnd
        }
    }

    private mutating func readTrailer(_ byte: UInt8) throws(HTTPRefusal) {
        trailerLength += 1
        guard trailerLength <= Self.trailerLimit else { throw .headTooLarge }
        switch state {
        case .trailerStart:
            let isEnd = byte == Characters.carriageReturn
            try require(isEnd || Characters.isToken(byte))
            state = isEnd ? .lastFeed : .trailerName
        case .trailerName:
            let isEnd = byte == UInt8(ascii: ":")
            try require(isEnd || Characters.isToken(byte))
            if isEnd { state = .trailerValue }
        case .trailerValue:
            let isEnd = byte == Characters.carriageReturn
            try require(isEnd || Characters.isText(byte))
            if isEnd { state = .trailerFeed }
        default:
            try require(byte == Characters.lineFeed)
            state = state == .lastFeed ? .done : .trailerStart
        }
    }

    private func require(_ holds: Bool) throws(HTTPRefusal) {
        if !holds { throw .malformed("The chunked body is malformed.") }
    }
}
