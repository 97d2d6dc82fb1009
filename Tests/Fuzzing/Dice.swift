/// Chance that depends on the input alone, so that a finding can be repeated: SplitMix64, seeded by FNV-1a.
struct Dice: RandomNumberGenerator {
    private var state: UInt64 = 0xCBF2_9CE4_8422_2325

    init(_ input: UnsafeRawBufferPointer) {
        for byte in input { state = (state ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }

    /// Cuts the input at chosen places, into pieces of at least one byte; short ones are as likely as long ones.
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
    /// The input as the parsers take it, without a copy that could hide a read behind its end.
    func withSpan<Result>(_ body: (Span<UInt8>) -> Result) -> Result {
        withMemoryRebound(to: UInt8.self) { body(Span(_unsafeElements: $0)) }
    }
}
