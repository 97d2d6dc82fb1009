import Crypto
import Postgres

/// One statement of `functions/` or `policies/`, and what it defines.
struct DefinedStatement {
    /// Its file below `SQL/`, for messages.
    let file: String
    let script: ScriptText
    let definition: Definition
}

/// What a statement defines, so that the migrator can find out whether it exists already.
enum Definition: Equatable {
    case object(DefinedObject)
    /// A grant or a revocation; all of them are applied together.
    case right
    /// Anything else, which is run each time.
    case action

    init(_ text: String) {
        let words = Definition.words(text)
        let named = words.first == "create" ? words.filter { !["or", "replace"].contains($0) } : []
        switch (words.first, named.count > 2 ? named[1] : nil) {
        case ("grant", _), ("revoke", _): self = .right
        case ("create", "function"), ("create", "procedure"):
            let name = named[2].prefix { $0 != "(" }
            self = .object(DefinedObject(.function, Definition.plain(name)))
        case ("create", "trigger"), ("create", "policy"), ("create", "constraint"):
            self = Definition.onTable(named)
        default: self = .action
        }
    }

    /// The object of `create trigger NAME … on TABLE` and `create policy "NAME" on TABLE`.
    private static func onTable(_ words: [String]) -> Definition {
        let isConstraint = words[1] == "constraint"
        let position = isConstraint ? 3 : 2
        guard words.count > position + 2, let on = words[(position + 1)...].firstIndex(of: "on"),
            on + 1 < words.count
        else { return .action }
        let kind: DefinedObject.Kind = words[1] == "policy" ? .policy : .trigger
        let (name, table) = (plain(words[position][...]), plain(words[on + 1][...]))
        return .object(DefinedObject(kind, "\(name) on \(table)", name: name, table: table))
    }

    /// The first words, without comments; a quoted name is one word.
    private static func words(_ text: String) -> [String] {
        var words: [String] = []
        var word = ""
        var isQuoted = false
        for character in text {
            if character == "\"" { isQuoted.toggle() }
            if !isQuoted, character.isWhitespace {
                if !word.isEmpty { words.append(word) }
                word = ""
                if words.count > 40 { break }
            } else {
                word.append(character)
            }
        }
        return word.isEmpty ? words : words + [word]
    }

    /// A name without its schema and quotes.
    private static func plain(_ name: Substring) -> String {
        let own = String(name.hasPrefix("school.") ? name.dropFirst("school.".count) : name)
        guard own.hasPrefix("\""), own.hasSuffix("\"") else { return own.lowercased() }
        return String(own.dropFirst().dropLast()).replacing("\"\"", with: "\"")
    }
}

/// What can be replaced on its own: a function with all of the same name, a trigger, a policy; or all rights
/// together.
struct DefinedObject: Hashable {
    enum Kind: String {
        case function, trigger, policy, rights
    }

    let kind: Kind
    /// The name within its kind; for triggers and policies, with the table's name.
    let label: String
    /// The name alone.
    let name: String
    /// The table of a trigger or policy.
    let table: String?

    init(_ kind: Kind, _ label: String, name: String? = nil, table: String? = nil) {
        self.kind = kind
        self.label = label
        self.name = name ?? label
        self.table = table
    }

    static let rights = DefinedObject(.rights, "")

    static func == (one: DefinedObject, other: DefinedObject) -> Bool {
        one.kind == other.kind && one.label == other.label
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(kind)
        hasher.combine(label)
    }
}

/// The definition of an object in a file.
struct Wording: Equatable {
    /// The digest of the statements, in hexadecimal.
    let digest: String
    /// Of a function: arguments and results, which cannot be changed in place.
    let signature: String

    init(_ texts: [String], of kind: DefinedObject.Kind) {
        let bytes = SHA256.digest(Array(texts.joined(separator: ";").utf8)).bytes
        digest = bytes.map { byte in
            let digits = String(byte, radix: 16)
            return byte < 16 ? "0\(digits)" : digits
        }.joined()
        signature =
            kind == .function ? texts.map(Wording.signature).joined(separator: "; ") : ""
    }

    /// From the arguments to the word that begins the options or the body, without comments.
    private static func signature(_ text: String) -> String {
        let lines = text.split(separator: "\n").map { line -> Substring in
            line.firstRange(of: "--").map { line[..<$0.lowerBound] } ?? line
        }
        let plain = lines.joined(separator: " ")
        guard let open = plain.firstIndex(of: "(") else { return plain }
        var depth = 0
        var words: [Substring] = []
        for word in plain[open...].split(whereSeparator: \.isWhitespace) {
            if depth == 0, options.contains(word) { break }
            words.append(word)
            for character in word {
                if character == "(" { depth += 1 }
                if character == ")" { depth -= 1 }
            }
        }
        return words.joined(separator: " ")
    }

    private static let options: Set<Substring> = [
        "language", "stable", "immutable", "volatile", "security", "parallel", "set", "strict",
        "cost", "rows", "return", "as", "leakproof", "called", "support", "window",
    ]
}
