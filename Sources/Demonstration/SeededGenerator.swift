/// Random numbers that are the same for the same seed, everywhere and in every version: SplitMix64.
struct SeededGenerator: RandomNumberGenerator, Sendable {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var word = state
        word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
        return word ^ (word >> 31)
    }

    /// A whole number of the range.
    mutating func number(_ range: ClosedRange<Int>) -> Int {
        range.lowerBound + Int(next() % UInt64(range.count))
    }

    /// From 0 to below 1.
    mutating func share() -> Double { Double(next() >> 11) / Double(1 << 53) }

    /// Whether something of that probability happens.
    mutating func happens(_ probability: Double) -> Bool { share() < probability }

    /// One of the elements; there must be one.
    mutating func choice<Element>(of elements: [Element]) -> Element {
        elements[number(0...elements.count - 1)]
    }
}
