/// The rules that the school chose for a person's password.
package enum PasswordPolicy: String, Sendable, CaseIterable {
    /// At least eight characters, including letters and digits.
    case standard = "8"
    /// Six digits; for students only.
    case sixDigits = "6"
    /// Four digits; for students only.
    case fourDigits = "4"

    /// Why a password cannot be used; `nil` if it can.
    package func objection(to password: String) -> String? {
        if let objection = formObjection(to: password) { return objection }
        return CommonPasswords.contain(password)
            ? "This password is easy to guess. Choose another one."
            : nil
    }

    /// Why a password cannot be used by this person: it contains a part of the person's name or managed ID.
    ///
    /// - Parameter ownWords: those parts, in lower case. A part of two or three letters counts only if it is
    ///   separate, since many words contain it.
    package func objection(to password: String, ownWords: [String]) -> String? {
        let text = password.lowercased()
        let pieces = text.split { !$0.isLetter && !$0.isNumber }.flatMap {
            [$0] + $0.split { !$0.isLetter }
        }
        let isOwn = ownWords.contains { word in
            if self != .standard { return word.contains(text) }
            let isShort = word.utf8.count < 4
            return isShort ? pieces.contains { $0 == word } : text.contains(word)
        }
        return isOwn ? "The password contains your name or managed ID. Choose another one." : nil
    }

    private func formObjection(to password: String) -> String? {
        switch self {
        case .standard:
            guard password.unicodeScalars.count >= 8 else {
                return "The password needs eight characters or more."
            }
            let hasLetter = password.unicodeScalars.contains(where: \.properties.isAlphabetic)
            let hasDigit = password.unicodeScalars.contains { $0.properties.numericType != nil }
            return hasLetter && hasDigit ? nil : "The password needs letters and digits."
        case .sixDigits: return PasswordPolicy.objection(to: password, digits: 6)
        case .fourDigits: return PasswordPolicy.objection(to: password, digits: 4)
        }
    }

    private static func objection(to password: String, digits count: Int) -> String? {
        let digits = Array(password.utf8)
        guard digits.count == count, digits.allSatisfy({ (48...57).contains($0) }) else {
            return "The password must have exactly \(count) digits."
        }
        let steps = Set(zip(digits, digits.dropFirst()).map { Int($1) - Int($0) })
        let isRow = steps.count == 1 && [-1, 0, 1].contains(steps.first)
        return isRow ? "Digits in a row, such as 1234 or 1111, are easy to guess." : nil
    }
}
