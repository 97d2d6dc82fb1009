import Crypto
import JSONBytes
import Values

/// How far an app has read the changes of its contexts.
struct ContextCursor: Equatable {
    /// What was removed is remembered for thirty days.
    private static let ageMax: Int64 = 29 * 86_400_000

    /// A digest of the languages in which the contexts were read.
    private let languages: String
    /// When everything before was last read, in milliseconds.
    var readAt: Int64
    /// The number of the last change in the catalog; -1 for none.
    var catalog = -1
    /// The number of the last change in what the app saved.
    var own = -1

    init(languages: [String], at now: Timestamp) {
        self.languages = Self.digest(of: languages)
        readAt = now.milliseconds
    }

    /// `nil` if the text is not a cursor.
    init?(text: String) {
        guard let bytes = Base64.decodeURL(text), let value = try? JSONValue(parsing: bytes),
            let parts = value.array, parts.count == 4, let languages = parts[0].text,
            let readAt = parts[1].int64, let catalog = parts[2].int64, let own = parts[3].int64
        else { return nil }
        self.languages = languages
        self.readAt = readAt
        self.catalog = Int(catalog)
        self.own = Int(own)
    }

    var text: String {
        let parts: JSONValue = [
            .text(languages), JSONValue(integerLiteral: readAt),
            JSONValue(integerLiteral: Int64(catalog)), JSONValue(integerLiteral: Int64(own)),
        ]
        return Base64.encodeURL(parts.bytes)
    }

    func isUsable(for languages: [String], now: Timestamp) -> Bool {
        self.languages == Self.digest(of: languages)
            && (0...Self.ageMax).contains(now.milliseconds &- readAt)
    }

    private static func digest(of languages: [String]) -> String {
        let text = languages.joined(separator: ",")
        return Base64.encodeURL(Array(SHA256.digest(Array(text.utf8)).bytes.prefix(6)))
    }
}
