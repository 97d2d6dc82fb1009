/// Random choices that are the same for the same seed: SplitMix64.
struct Chance: Sendable {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed &* 0xD134_2543_DE82_EF95 &+ 1
    }

    private mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var word = state
        word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
        return word ^ (word >> 31)
    }

    mutating func number(_ range: ClosedRange<Int>) -> Int {
        range.lowerBound + Int(next() % UInt64(range.count))
    }

    /// Whether something happens that does so in that many of a hundred cases.
    mutating func happens(_ percent: Int) -> Bool { number(1...100) <= percent }

    /// One of the elements; there must be one.
    mutating func one<Element>(of elements: [Element]) -> Element {
        elements[number(0...elements.count - 1)]
    }

    /// Some of the elements, at least one where there is one.
    mutating func some<Element>(of elements: [Element]) -> [Element] {
        let chosen = elements.filter { _ in happens(50) }
        return chosen.isEmpty && !elements.isEmpty ? [one(of: elements)] : chosen
    }
}
