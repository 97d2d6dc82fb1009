import Values

extension SplitMix64 {
    /// From 0 to below 1.
    mutating func share() -> Double { Double(next() >> 11) / Double(1 << 53) }

    /// Whether something of that probability happens.
    mutating func happens(_ probability: Double) -> Bool { share() < probability }
}
