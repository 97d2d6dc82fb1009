import Values

extension SplitMix64 {
    /// Neighbouring seeds begin far apart; otherwise their schools would be much alike.
    init(spreading seed: UInt64) {
        self.init(seed: seed &* 0xD134_2543_DE82_EF95 &+ 1)
    }
}
