extension Scrypt {
    /// How much memory and time a derivation takes (RFC 7914 section 2), as records have it: `ln=15,r=8,p=3`.
    package struct Cost: Sendable, Equatable, CustomStringConvertible {
        /// The binary logarithm of N, how many blocks are kept in memory.
        let logN: Int
        /// The size of a block, in 128 bytes.
        let r: Int
        /// How often everything is done, in the same memory.
        let p: Int

        /// N = 2^15, r = 8, p = 3: one of the settings that OWASP's Password Storage Cheat Sheet counts as equivalent.
        ///
        /// They trade memory for time, from 128 MiB (N = 2^17, p = 1) to 8 MiB (N = 2^13, p = 10). This one takes
        /// 32 MiB, which a small server can spare; those with less memory are easier to guess on graphics cards.
        package static let standard = Cost(unchecked: 15, 8, 3)

        /// Reads `ln=15,r=8,p=3`; `nil` for any other form, and for what no server should be made to compute: more
        /// than 256 MiB or than sixteen times the work of N = 2^15, r = 8, p = 1, some seconds.
        package init?(_ text: some StringProtocol) {
            let parts = text.split(separator: ",", omittingEmptySubsequences: false)
            let numbers = zip(parts, ["ln=", "r=", "p="]).compactMap { part, name in
                part.hasPrefix(name) ? Int(part.dropFirst(name.count)) : nil
            }
            guard parts.count == 3, numbers.count == 3, (4...20).contains(numbers[0]),
                (1...32).contains(numbers[1]), (1...16).contains(numbers[2])
            else { return nil }
            self.init(unchecked: numbers[0], numbers[1], numbers[2])
            // N is below 2^(16 r). Zeros and signs before a number are another text.
            guard logN < 16 * r, memory <= 256 << 20, work <= 1 << 22, description == text else {
                return nil
            }
        }

        private init(unchecked logN: Int, _ r: Int, _ p: Int) {
            (self.logN, self.r, self.p) = (logN, r, p)
        }

        package var description: String { "ln=\(logN),r=\(r),p=\(p)" }

        /// In the same memory once, not p times.
        package var once: Cost { Cost(unchecked: logN, r, 1) }

        /// The bytes that a derivation needs.
        var memory: Int { 128 * r << logN }

        /// What the time of a derivation is proportional to.
        var work: Int { r * p << logN }

        /// Whether the other one takes more memory or more work, and less of neither.
        func isBelow(_ other: Cost) -> Bool {
            memory <= other.memory && work <= other.work
                && (memory < other.memory || work < other.work)
        }

        /// What has to be derived as well to do the work of a higher cost; empty if that one is not higher.
        func padding(to higher: Cost) -> [Cost] {
            let blocks = (higher.work - work) / higher.r
            guard blocks > 0 else { return [] }
            let whole = blocks >> higher.logN
            let rest = (1..<higher.logN).reversed().filter { blocks >> $0 & 1 == 1 }
            return (whole > 0 ? [Cost(unchecked: higher.logN, higher.r, whole)] : [])
                + rest.map { Cost(unchecked: $0, higher.r, 1) }
        }
    }
}
