import Synchronization

/// The regular expressions of a document, each compiled once.
final class Patterns: Sendable {
    private let compiled = Mutex<[String: Regex<AnyRegexOutput>]>([:])

    /// What is wrong with a text that has to match a pattern; `nil` if it does.
    func finding(_ subject: String, _ pattern: String?) -> String? {
        compiled.withLock { compiled in
            guard let pattern, let regex = compiled[pattern] ?? (try? Regex(pattern)) else {
                return "has an invalid pattern"
            }
            compiled[pattern] = regex
            return subject.contains(regex) ? nil : "breaks its pattern"
        }
    }
}
