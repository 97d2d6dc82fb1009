/// Random numbers that are the same for the same seed, on every machine and in every version.
///
/// The generator of Steele, Lea and Flood, "Fast Splittable Pseudorandom Number Generators" (2014). Not for
/// secrets: one output gives the next one away.
package struct SplitMix64: RandomNumberGenerator, Sendable {
    private var state: UInt64

    package init(seed: UInt64) {
        state = seed
    }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var word = state
        word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
        return word ^ (word >> 31)
    }

    // `Int.random(in:using:)` may draw differently in another version of Swift. What has to stay the same uses these.

    /// An integer in the range.
    package mutating func number(_ range: ClosedRange<Int>) -> Int {
        range.lowerBound + Int(next() % UInt64(range.count))
    }

    /// One of the elements, which must not be empty.
    package mutating func choice<Element>(of elements: [Element]) -> Element {
        elements[number(0...elements.count - 1)]
    }
}
