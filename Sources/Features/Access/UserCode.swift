import Crypto

/// The short code that a device shows and a person types: eight letters, without vowels so that it makes no words (RFC
/// 8628 section 6.1).
struct UserCode: Sendable {
    private static let alphabet = Array("BCDFGHJKLMNPQRSTVWXZ")
    /// Eight letters.
    let letters: String

    init() {
        var generator = SecureGenerator()
        letters = String((0..<8).map { _ in Self.alphabet.randomElement(using: &generator) ?? "B" })
    }

    /// Reads what a person typed, in any case and with any blanks and hyphens; `nil` if it cannot be a code.
    init?(typed text: String) {
        let letters = text.uppercased().filter { $0 != "-" && !$0.isWhitespace }
        guard letters.count == 8, letters.allSatisfy(Self.alphabet.contains) else { return nil }
        self.letters = letters
    }

    /// As it is shown: `WDJB-MJHT`.
    var shown: String { "\(letters.prefix(4))-\(letters.suffix(4))" }
}
