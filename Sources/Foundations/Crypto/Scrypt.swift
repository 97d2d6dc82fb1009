import COpenSSL

/// Password hashing by scrypt (RFC 7914). A record says its own cost, so that the cost can rise.
///
/// At the standard cost one derivation takes about 400 ms and 32 MiB, so never run it on a loop. A password is the UTF-8
/// of what was typed; callers limit its length. New records are made so only where an operator says it (`PasswordCost`).
package enum Scrypt {
    struct Record {
        let cost: Cost
        let salt: [UInt8]
        let hash: [UInt8]

        var text: String {
            "$scrypt$\(cost)$\(Base64.encodeUnpadded(salt))$\(Base64.encodeUnpadded(hash))"
        }
    }

    /// Makes the record to store: `$scrypt$ln=15,r=8,p=3$salt$hash`.
    package static func hash(_ password: String, at cost: Cost) -> String {
        hash(password, salt: SecureRandom.bytes(16), at: cost)
    }

    /// Whether the record was made from the password.
    ///
    /// Each call does at least the work of the cost that new records have, so that the time reveals neither a
    /// malformed or missing record (`nil`: for an unknown managed ID) nor one that was made at a lower cost. Only a
    /// record of a higher cost takes longer: those exist after an operator has lowered the setting.
    package static func verify(
        _ password: String, against record: String?, at cost: Cost
    ) -> Bool {
        let parts = record.flatMap(parse)
        let bytes = Array(password.utf8)
        let costs = costs(toVerify: record, at: cost)
        let hash = derive(bytes, salt: parts?.salt ?? decoySalt, costs[0])
        for padding in costs.dropFirst() { _ = derive(bytes, salt: decoySalt, padding) }
        return equalInConstantTime(hash, parts?.hash ?? [])
    }

    /// What is derived to verify a record: the hash to compare first, then what only takes time.
    static func costs(toVerify record: String?, at cost: Cost) -> [Cost] {
        let own = record.flatMap(parse)?.cost ?? cost
        return [own] + own.padding(to: cost)
    }

    /// A record of the same password at a higher cost; `nil` if the record would lose memory or work, or gain none.
    ///
    /// It keeps the salt, by which the database knows that the password is the same (`is_same_password`).
    package static func renewed(
        _ record: String, of password: String, at cost: Cost
    ) -> String? {
        guard isWeaker(record, than: cost), let old = parse(record) else { return nil }
        return hash(password, salt: old.salt, at: cost)
    }

    /// Whether a record was made at a lower cost. A malformed one was not: nobody can sign in with it.
    package static func isWeaker(_ record: String, than cost: Cost) -> Bool {
        parse(record)?.cost.isBelow(cost) ?? false
    }

    static func derive(
        _ password: [UInt8], salt: [UInt8], _ cost: Cost, length: Int = 32
    ) -> [UInt8] {
        var key = [UInt8](repeating: 0, count: length)
        // OpenSSL treats a null address as no password; an empty one is still a password.
        let terminated = password.map { CChar(bitPattern: $0) } + [0]
        // Beside the blocks it counts some that it works with.
        let memoryMax = UInt64(cost.memory) + 1 << 20
        let status = EVP_PBE_scrypt(
            terminated, password.count, salt, salt.count, 1 << UInt64(cost.logN), UInt64(cost.r),
            UInt64(cost.p), memoryMax, &key, length)
        precondition(status == 1, "OpenSSL has no memory for scrypt")
        return key
    }

    static let decoySalt = SecureRandom.bytes(16)

    private static func hash(_ password: String, salt: [UInt8], at cost: Cost) -> String {
        let hash = derive(Array(password.utf8), salt: salt, cost)
        return Record(cost: cost, salt: salt, hash: hash).text
    }

    static func parse(_ record: String) -> Record? {
        let parts = record.split(separator: "$", omittingEmptySubsequences: false)
        guard parts.count == 5, parts[0].isEmpty, parts[1] == "scrypt", let cost = Cost(parts[2]),
            let salt = Base64.decodeUnpadded(parts[3].utf8), salt.count == 16,
            let hash = Base64.decodeUnpadded(parts[4].utf8), hash.count == 32
        else { return nil }
        return Record(cost: cost, salt: salt, hash: hash)
    }
}
