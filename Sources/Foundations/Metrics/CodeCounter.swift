import Synchronization

/// Counts by a short code that is defined elsewhere, such as an SQLSTATE. Thread-safe.
///
/// A code has one to seven capital letters and digits. The number of codes is bounded: new codes when all slots
/// are taken, and invalid codes, count as `other`, so that no input can fill the memory.
package final class CodeCounter: @unchecked Sendable {
    private struct Slot: ~Copyable {
        /// The code's bytes as one number; 0 while the slot is free.
        let code = Atomic<UInt64>(0)
        let count = Atomic<Int>(0)
    }

    private let limit: Int
    private let slots: UnsafeMutablePointer<Slot>
    private let others = Counter()

    package init(limit: Int = 64) {
        self.limit = limit
        slots = .allocate(capacity: limit)
        for index in 0..<limit { (slots + index).initialize(to: Slot()) }
    }

    deinit {
        slots.deinitialize(count: limit)
        slots.deallocate()
    }

    package func add(_ code: String) {
        guard let packed = CodeCounter.pack(code), let index = index(of: packed) else {
            return others.add()
        }
        slots[index].count.wrappingAdd(1, ordering: .relaxed)
    }

    /// Every counted code, in the order of first appearance, with `other` last.
    package var values: [(code: String, count: Int)] {
        var values: [(code: String, count: Int)] = []
        for index in 0..<limit {
            let packed = slots[index].code.load(ordering: .acquiring)
            guard packed != 0 else { break }
            values.append(
                (CodeCounter.text(packed), slots[index].count.load(ordering: .relaxed)))
        }
        if others.value > 0 { values.append(("other", others.value)) }
        return values
    }

    /// The slot of a code; a new code takes one now. `nil` if all are taken.
    private func index(of packed: UInt64) -> Int? {
        (0..<limit).first { index in
            let (isTaken, owner) = slots[index].code.compareExchange(
                expected: 0, desired: packed, ordering: .acquiringAndReleasing)
            return isTaken || owner == packed
        }
    }

    private static func pack(_ code: String) -> UInt64? {
        var packed: UInt64 = 0
        guard (1...7).contains(code.utf8.count) else { return nil }
        for byte in code.utf8 {
            guard (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) else { return nil }
            packed = packed << 8 | UInt64(byte)
        }
        return packed
    }

    private static func text(_ packed: UInt64) -> String {
        let bytes = (0..<8).reversed().map { UInt8(truncatingIfNeeded: packed >> ($0 * 8)) }
        return String(decoding: bytes.drop { $0 == 0 }, as: UTF8.self)
    }
}
