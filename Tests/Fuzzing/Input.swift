import Values

extension SplitMix64 {
    /// Randomness that depends on the input alone (FNV-1a), so that a finding can be repeated.
    init(_ input: UnsafeRawBufferPointer) {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in input { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
        self.init(seed: hash)
    }

    /// Cuts the input at random points, into pieces of at least one byte; short ones are as likely as long ones.
    mutating func pieces(of input: UnsafeRawBufferPointer) -> [UnsafeRawBufferPointer] {
        let longest = 1 << Int.random(in: 0...12, using: &self)
        var pieces: [UnsafeRawBufferPointer] = []
        var start = 0
        while start < input.count {
            let end = min(start + Int.random(in: 1...longest, using: &self), input.count)
            pieces.append(UnsafeRawBufferPointer(rebasing: input[start..<end]))
            start = end
        }
        return pieces
    }
}

extension UnsafeRawBufferPointer {
    /// The input as the parsers take it, without a copy that could hide a read past its end.
    func withSpan<Result>(_ body: (Span<UInt8>) -> Result) -> Result {
        withMemoryRebound(to: UInt8.self) { body(Span(_unsafeElements: $0)) }
    }
}
