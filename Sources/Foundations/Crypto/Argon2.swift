import CArgon2

/// Password hashing by Argon2id (RFC 9106). A record says its own cost, so that the cost can rise.
///
/// At the standard cost one derivation takes some tens of milliseconds and 19 MiB, so never run it on a loop. A password
/// is the UTF-8 of what was typed; callers limit its length.
package enum Argon2 {
    /// What a record is made of: `$argon2id$v=19$m=19456,t=2,p=1$salt$hash`, as the reference implementation writes it.
    struct Record {
        let cost: Cost
        let salt: [UInt8]
        let hash: [UInt8]

        init(cost: Cost, salt: [UInt8], hash: [UInt8]) {
            (self.cost, self.salt, self.hash) = (cost, salt, hash)
        }

        init?(_ record: String) {
            let parts = record.split(separator: "$", omittingEmptySubsequences: false)
            guard parts.count == 6, parts[0].isEmpty, parts[1] == "argon2id", parts[2] == "v=19",
                let cost = Cost(parts[3]),
                let salt = Base64.decodeUnpadded(parts[4].utf8), salt.count == 16,
                let hash = Base64.decodeUnpadded(parts[5].utf8), hash.count == 32
            else { return nil }
            self.init(cost: cost, salt: salt, hash: hash)
        }

        var text: String {
            "$argon2id$v=19$\(cost)$\(Base64.encodeUnpadded(salt))$\(Base64.encodeUnpadded(hash))"
        }
    }

    /// How much memory and time a derivation takes, as records have it: `m=19456,t=2,p=1`.
    package struct Cost: Sendable, Equatable, CustomStringConvertible {
        /// In KiB.
        let memory: Int
        /// How often the memory is passed over.
        let passes: Int

        /// 19 MiB, two passes: the first of the settings that OWASP's Password Storage Cheat Sheet counts as equivalent.
        package static let standard = Cost(unchecked: 19_456, 2)

        /// Reads `m=19456,t=2,p=1`; `nil` for any other form, for more than one lane, and for what no server should be
        /// made to compute: more than 256 MiB or than sixteen times the work of the standard.
        package init?(_ text: some StringProtocol) {
            let parts = text.split(separator: ",", omittingEmptySubsequences: false)
            let numbers = zip(parts, ["m=", "t=", "p="]).compactMap { part, name in
                part.hasPrefix(name) ? Int(part.dropFirst(name.count)) : nil
            }
            guard parts.count == 3, numbers.count == 3, (8...262_144).contains(numbers[0]),
                (1...64).contains(numbers[1]), numbers[2] == 1
            else { return nil }
            self.init(unchecked: numbers[0], numbers[1])
            // Zeros and signs before a number are another text.
            guard work <= 16 * Cost.standard.work, description == text else { return nil }
        }

        private init(unchecked memory: Int, _ passes: Int) {
            (self.memory, self.passes) = (memory, passes)
        }

        package var description: String { "m=\(memory),t=\(passes),p=1" }

        /// In the same memory, passed over once.
        var once: Cost { Cost(unchecked: memory, 1) }

        /// What the time of a derivation is proportional to.
        var work: Int { memory * passes }

        /// Whether the other one takes more memory or more work, and less of neither.
        func isBelow(_ other: Cost) -> Bool {
            memory <= other.memory && work <= other.work
                && (memory < other.memory || work < other.work)
        }

        /// What has to be derived as well to do at least the work of a higher cost; `nil` if that one is not higher.
        func padding(to higher: Cost) -> Cost? {
            let missing = higher.work - work
            guard missing > 0 else { return nil }
            return Cost(unchecked: higher.memory, (missing + higher.memory - 1) / higher.memory)
        }
    }

    static func derive(_ password: [UInt8], salt: [UInt8], _ cost: Cost) -> [UInt8] {
        var key = [UInt8](repeating: 0, count: 32)
        let status = argon2id_hash_raw(
            UInt32(cost.passes), UInt32(cost.memory), 1, password, password.count, salt, salt.count,
            &key, key.count)
        precondition(status == ARGON2_OK.rawValue, "Argon2 has no memory")
        return key
    }
}
