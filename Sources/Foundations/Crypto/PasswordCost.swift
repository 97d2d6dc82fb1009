/// How passwords are hashed: by which algorithm, and how much memory and time it takes.
///
/// A record says how it was made, so records of both algorithms and of every cost are understood at any setting, and are
/// made again at the next sign-in where the setting asks for more.
package enum PasswordCost: Sendable, Equatable, CustomStringConvertible {
    case argon2(Argon2.Cost)
    case scrypt(Scrypt.Cost)

    /// As OWASP's Password Storage Cheat Sheet advises first. Scrypt takes several times as long for the same strength.
    package static let standard = PasswordCost.argon2(.standard)

    /// Reads `m=19456,t=2,p=1` (Argon2id) or `ln=15,r=8,p=3` (scrypt); `nil` for any other form, and for what no server
    /// should be made to compute.
    package init?(_ text: some StringProtocol) {
        if let cost = Argon2.Cost(text) {
            self = .argon2(cost)
        } else if let cost = Scrypt.Cost(text) {
            self = .scrypt(cost)
        } else {
            return nil
        }
    }

    package var description: String {
        switch self {
        case .argon2(let cost): cost.description
        case .scrypt(let cost): cost.description
        }
    }

    /// In the same memory once, not several times.
    package var once: PasswordCost {
        switch self {
        case .argon2(let cost): .argon2(cost.once)
        case .scrypt(let cost): .scrypt(cost.once)
        }
    }

    /// About how long a derivation takes, until it has been measured.
    package var probableNanoseconds: Int64 {
        switch self {
        case .argon2(let cost): Int64(cost.work) * 1000
        case .scrypt(let cost): Int64(cost.work) * 170
        }
    }

    /// Makes the record to store.
    package func record(of password: String) -> String {
        switch self {
        case .argon2(let cost): Self.argon2(password, SecureRandom.bytes(16), cost)
        case .scrypt(let cost): Scrypt.hash(password, at: cost)
        }
    }

    /// Whether the record was made from the password.
    ///
    /// Each call does at least the work of the cost that new records have, so that the time reveals neither a malformed
    /// or missing record (`nil`: for an unknown managed ID) nor one of a lower cost. A record of a higher cost or of the
    /// other algorithm (`isForeign`) takes longer.
    package func matches(_ password: String, _ record: String?) -> Bool {
        let bytes = Array(password.utf8)
        switch self {
        case .argon2(let cost):
            if let own = record.flatMap(Scrypt.parse) {
                return equalInConstantTime(
                    Scrypt.derive(bytes, salt: own.salt, own.cost), own.hash)
            }
            let own = record.flatMap(Argon2.Record.init)
            let hash = Argon2.derive(bytes, salt: own?.salt ?? Scrypt.decoySalt, own?.cost ?? cost)
            if let padding = own?.cost.padding(to: cost) {
                _ = Argon2.derive(bytes, salt: Scrypt.decoySalt, padding)
            }
            return equalInConstantTime(hash, own?.hash ?? [])
        case .scrypt(let cost):
            guard let own = record.flatMap(Argon2.Record.init) else {
                return Scrypt.verify(password, against: record, at: cost)
            }
            _ = Scrypt.derive(bytes, salt: Scrypt.decoySalt, cost)
            return equalInConstantTime(Argon2.derive(bytes, salt: own.salt, own.cost), own.hash)
        }
    }

    /// Whether a record was made by the other algorithm, so that comparing it takes longer.
    package func isForeign(_ record: String) -> Bool {
        switch self {
        case .argon2: Scrypt.parse(record) != nil
        case .scrypt: Argon2.Record(record) != nil
        }
    }

    /// Whether the record is to be made again: by the other algorithm, unless it has more than any cost of scrypt that
    /// OWASP advises, or at a lower cost. A malformed one is not: nobody can sign in with it.
    package func isAbove(_ record: String) -> Bool {
        switch self {
        case .argon2(let cost):
            if let own = Scrypt.parse(record) { return own.cost.work <= Self.strongestScrypt }
            return Argon2.Record(record)?.cost.isBelow(cost) ?? false
        case .scrypt(let cost): return Scrypt.isWeaker(record, than: cost)
        }
    }

    /// A record of the same password at this cost; `nil` if the record would lose by it, or gain nothing.
    ///
    /// It keeps the salt, by which the database knows that the password is the same (`is_same_password`).
    package func renewed(_ record: String, of password: String) -> String? {
        switch self {
        case .argon2(let cost):
            guard isAbove(record),
                let salt = Scrypt.parse(record)?.salt ?? Argon2.Record(record)?.salt
            else { return nil }
            return Self.argon2(password, salt, cost)
        case .scrypt(let cost): return Scrypt.renewed(record, of: password, at: cost)
        }
    }

    /// The work of `ln=17,r=8,p=1`.
    private static let strongestScrypt = 8 << 17

    private static func argon2(_ password: String, _ salt: [UInt8], _ cost: Argon2.Cost) -> String {
        let hash = Argon2.derive(Array(password.utf8), salt: salt, cost)
        return Argon2.Record(cost: cost, salt: salt, hash: hash).text
    }
}
