import Values

@testable import HTTPWire

/// Request heads: how they arrive does not matter, and where their bodies end is unambiguous.
enum HeadProperties {
    /// The outcome for an input, for comparison.
    private enum Verdict: Equatable {
        case needMore
        case complete(Facts, length: Int)
        case refused(HTTPRefusal)
    }

    /// Everything a head says.
    private struct Facts: Equatable {
        let method: HTTPMethod
        let target: String
        let segments: [String]
        let query: Query
        let fields: [[UInt8]]
        let minorVersion: Int
        let framing: BodyFraming
        let keepsAlive: Bool
        let expectsContinue: Bool

        init(_ head: RequestHead) {
            method = head.method
            target = head.target
            segments = head.segments
            query = head.query
            fields = head.headers.entries.flatMap { entry in
                [Array(head.headers.bytes[entry.name]), Array(head.headers.bytes[entry.value])]
            }
            minorVersion = head.minorVersion
            framing = head.framing
            keepsAlive = head.keepsAlive
            expectsContinue = head.expectsContinue
        }
    }

    static func check(_ input: UnsafeRawBufferPointer) {
        var dice = SplitMix64(input)
        var parser = RequestHeadParser()
        let whole = verdict(input, &parser)
        if input.count < 1000 {
            require(
                growing(input, steps: 0...input.count) == whole,
                "a head that arrives byte by byte is the same head")
        }
        var end = 0
        let ends = dice.pieces(of: input).map { piece in
            end += piece.count
            return end
        }
        require(growing(input, steps: ends) == whole, "a head in pieces is the same head")
        guard case .complete(let facts, let length) = whole else { return }
        let head = UnsafeRawBufferPointer(rebasing: input[..<length])
        checkPrefixes(of: head, &dice)
        checkAgain(facts)
        guard let framing = FramingByTheLetter.read(Array(head)) else {
            return require(false, "a head that RFC 9112 section 6 refuses is refused")
        }
        require(framing == facts.framing, "the body ends where RFC 9112 section 6 says")
    }

    private static func verdict(
        _ bytes: UnsafeRawBufferPointer, _ parser: inout RequestHeadParser
    ) -> Verdict {
        bytes.withSpan { span in
            do throws(HTTPRefusal) {
                switch try parser.parse(span) {
                case .needMore: return .needMore
                case .complete(let head, let length):
                    return .complete(Facts(head), length: length)
                }
            } catch {
                return .refused(error)
            }
        }
    }

    /// The first verdict of one parser that sees more of the input each time.
    private static func growing(
        _ input: UnsafeRawBufferPointer, steps: some Sequence<Int>
    ) -> Verdict {
        var parser = RequestHeadParser()
        for end in steps {
            let part = UnsafeRawBufferPointer(rebasing: input[..<end])
            let verdict = verdict(part, &parser)
            if verdict != .needMore { return verdict }
        }
        return .needMore
    }

    /// A part of a valid head is neither valid nor invalid, even for a parser that sees it for the first time.
    private static func checkPrefixes(of head: UnsafeRawBufferPointer, _ dice: inout SplitMix64) {
        for _ in 0..<4 {
            let end = Int.random(in: 0..<head.count, using: &dice)
            var parser = RequestHeadParser()
            let part = UnsafeRawBufferPointer(rebasing: head[..<end])
            require(verdict(part, &parser) == .needMore, "a part of a valid head needs more")
        }
    }

    /// What was read can be written, and reads back the same.
    private static func checkAgain(_ facts: Facts) {
        var bytes = Array("\(facts.method) \(facts.target) HTTP/1.\(facts.minorVersion)\r\n".utf8)
        for index in stride(from: 0, to: facts.fields.count, by: 2) {
            bytes += facts.fields[index] + [0x3A] + facts.fields[index + 1] + [0x0D, 0x0A]
        }
        bytes += [0x0D, 0x0A]
        var parser = RequestHeadParser()
        let again = bytes.withUnsafeBytes { verdict($0, &parser) }
        require(
            again == .complete(facts, length: bytes.count),
            "a head written as it was read reads back the same")
    }
}
