package import ClassKitUplink
package import Foundation

/// What an app does, at which time.
package enum AppStep: Sendable {
    case begin(place: Int, id: UUID)
    case progress(place: Int, ProgressRange)
    case item(place: Int, ItemRecord)
    case stop(place: Int)
    case resume(place: Int)
    case complete(place: Int)
    case context(place: Int, title: String)
    case remove(place: Int)
    case wait(Double)
}

package enum AppScript {
    package static func random(seed: UInt64) -> [AppStep] {
        var random = Dice(seed: seed)
        return (0..<Int.random(in: 20...60, using: &random)).map { _ in
            let place = Int.random(in: 0..<3, using: &random)
            switch Int.random(in: 0..<12, using: &random) {
            case 0, 1: return .begin(place: place, id: random.uuid())
            case 2, 3:
                let start = Double.random(in: 0..<0.9, using: &random)
                return .progress(place: place, ProgressRange(start: start, end: start + 0.1))
            case 4:
                return .item(
                    place: place,
                    .score(
                        identifier: "score", title: "Score",
                        score: Double(Int.random(in: 0...10, using: &random)), maxScore: 10))
            case 5: return .stop(place: place)
            case 6: return .resume(place: place)
            case 7: return .complete(place: place)
            case 8: return .context(place: place, title: "\(random.next())")
            case 9: return .remove(place: place)
            default: return .wait(Double(Int.random(in: 1...600, using: &random)))
            }
        }
    }
}

/// Reproducible randomness (SplitMix64).
struct Dice: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed &* 0x9E37_79B9_7F4A_7C15 &+ 1
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }

    mutating func uuid() -> UUID {
        let bytes = (0..<16).map { _ in UInt8(truncatingIfNeeded: next()) }
        return bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
    }

    mutating func chance(_ share: Double) -> Bool { Double.random(in: 0..<1, using: &self) < share }
}
