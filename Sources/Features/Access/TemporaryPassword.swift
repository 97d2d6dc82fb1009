import Crypto
import Values

/// A password that someone is given, to be changed at the first sign-in.
package enum TemporaryPassword {
    /// How long it can be used.
    package static let validDays = 14

    /// Without letters that are easily misread or misheard.
    private static let letters = Array("abcdefghjkmnpqrstuvwxyz")
    private static let clearDigits = Array("23456789")
    private static let digits = Array("0123456789")

    /// Makes a password that satisfies the policy and is easy to read from a sheet: `kmtr-wzbe-4729`, or digits.
    package static func make(_ policy: PasswordPolicy = .standard) -> String {
        switch policy {
        case .standard: "\(pick(4, letters))-\(pick(4, letters))-\(pick(4, clearDigits))"
        case .sixDigits: make(digits: 6, policy)
        case .fourDigits: make(digits: 4, policy)
        }
    }

    /// When a password that is made now expires.
    package static func expiry(from now: Timestamp) -> Timestamp {
        Timestamp(milliseconds: now.milliseconds + Int64(validDays) * 86_400_000)
    }

    /// The first digit is not a zero, which spreadsheets drop.
    private static func make(digits count: Int, _ policy: PasswordPolicy) -> String {
        while true {
            let password = pick(1, Array(digits.dropFirst())) + pick(count - 1, digits)
            if policy.objection(to: password) == nil { return password }
        }
    }

    private static func pick(_ count: Int, _ alphabet: [Character]) -> String {
        var generator = SecureGenerator()
        return String(
            (0..<count).map { _ in alphabet[Int.random(in: alphabet.indices, using: &generator)] })
    }
}
