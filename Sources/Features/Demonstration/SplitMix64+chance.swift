import Values

extension SplitMix64 {
    /// A number from 0 up to, but not including, 1.
    mutating func share() -> Double { Double(next() >> 11) / Double(1 << 53) }

    /// Whether an event of that probability happens.
    mutating func happens(_ probability: Double) -> Bool { share() < probability }
}
